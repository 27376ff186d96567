package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.CorruptFilterException;
import io.woodbird.DurableFilter;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.SignedFilters;
import io.woodbird.UntrustedFilterException;
import io.woodbird.UntrustedFilterException.Reason;
import io.woodbird.Woodbird;
import io.woodbird.filter.StoredFilters;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Signed files: only what the signer wrote says "not here". */
class SignatureTest {
  private static final long SEED = 7;
  private static final int KEYS = 60;

  /** The first key of RFC 8032, as OpenSSL writes it. */
  static final String PRIVATE =
      """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
      -----END PRIVATE KEY-----
      """;

  static final String PUBLIC =
      """
      -----BEGIN PUBLIC KEY-----
      MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
      -----END PUBLIC KEY-----
      """;

  @TempDir private Path folder;
  private Path path;
  private PrivateKey key;
  private PublicKey publicKey;

  @BeforeEach
  void signAFile() throws IOException {
    Files.writeString(folder.resolve("key.pem"), "a comment\n" + PRIVATE);
    Files.writeString(folder.resolve("key.pub"), PUBLIC.replace("\n", "\r\n"));
    key = SignedFilters.readPrivateKey(folder.resolve("key.pem"));
    publicKey = SignedFilters.readPublicKey(folder.resolve("key.pub"));
    path = folder.resolve("list.wbird");
    filter().save(path);
    Woodbird.sign(path, key);
  }

  /** A signed copy would lack the keys of the journal, and replace a later file of the filter. */
  @Test
  void aDurableFilterInUse_isNotSigned() throws IOException {
    Path file = folder.resolve("seen.wbird");
    try (DurableFilter<Long> seen = Woodbird.bloom(Keys.longs(), 100).file(file)) {
      seen.put(1L);
      byte[] before = Files.readAllBytes(file);
      assertThatThrownBy(() -> Woodbird.sign(file, key))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageStartingWith(file + ": not whole: a durable filter that is in use");
      assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }
    Woodbird.sign(file, key);
    try (OpenFilter<Long> signed = Woodbird.signedBy(publicKey).open(file, Keys.longs())) {
      assertThat(signed.mightContain(1L)).isTrue();
    }
  }

  private static Filter<Long> filter() {
    return filter(0);
  }

  private static Filter<Long> filter(long first) {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), KEYS).seed(SEED).build();
    LongStream.range(first, first + KEYS).forEach(filter::putLong);
    return filter;
  }

  private static void requireAll(Filter<Long> filter, String where) {
    for (long k = 0; k < KEYS; k++) {
      if (!filter.mightContain(k)) {
        throw new AssertionError(where + ": key " + k + " is lost");
      }
    }
  }

  private UntrustedFilterException refused(Path file, PublicKey signer) {
    try (OpenFilter<Long> opened = Woodbird.signedBy(signer).open(file, Keys.longs())) {
      throw new AssertionError("opened: " + opened);
    } catch (UntrustedFilterException e) {
      assertThat(e).hasMessageContaining(file.toString());
      return e;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Tag("jdk")
  @Test
  void aSignedFile_opens_withAndWithoutItsKey_andFromAStream() throws IOException {
    PublicKey other = otherKey();
    try (OpenFilter<Long> plain = Woodbird.open(path, Keys.longs());
        OpenFilter<Long> signed = Woodbird.signedBy(other, publicKey).open(path, Keys.longs())) {
      signed.verify();
      requireAll(plain, "plain");
      requireAll(signed, "signed");
      assertThat(LongStream.range(KEYS, 2000).filter(k -> !signed.mightContain(k)).count())
          .isPositive();
    }
    byte[] bytes = Files.readAllBytes(path);
    ByteArrayInputStream in = new ByteArrayInputStream(Arrays.copyOf(bytes, bytes.length + 5));
    requireAll(Woodbird.signedBy(publicKey).readFrom(in, Keys.longs()), "stream");
    assertThat(in.available()).isEqualTo(5);
    assertThat(HexFormat.of().formatHex(bytes))
        .as("the public key that belongs to the private one, by RFC 8032")
        .contains("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  }

  private PublicKey otherKey() throws IOException {
    SignedFilters.createKeys(folder.resolve("other.pem"), folder.resolve("other.pub"));
    return SignedFilters.readPublicKey(folder.resolve("other.pub"));
  }

  @Test
  void halfAPairOfKeys_isNotLeftBehind() throws IOException {
    Path open = Files.createFile(folder.resolve("half.pub"));
    Path secret = folder.resolve("half.pem");
    assertThatThrownBy(() -> SignedFilters.createKeys(secret, open))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(secret).doesNotExist();
    assertThat(open).isEmptyFile();
  }

  @Tag("jdk")
  @Test
  void anUnsignedFile_andThatOfAnother_areRefused_eachWithItsReason() throws IOException {
    Path unsigned = folder.resolve("unsigned.wbird");
    filter().save(unsigned);
    assertThat(refused(unsigned, publicKey).reason()).isEqualTo(Reason.UNSIGNED);
    UntrustedFilterException foreign = refused(path, otherKey());
    assertThat(foreign.reason()).isEqualTo(Reason.FOREIGN);
    assertThat(foreign).hasMessageContaining("d75a980182b1");
    assertThatThrownBy(() -> otherKey()).isInstanceOf(FileAlreadyExistsException.class);
    try (OpenFilter<Long> opened = Woodbird.open(path, Keys.longs())) {
      opened.save(unsigned); // A copy that a program writes is not what was signed.
    }
    assertThat(refused(unsigned, publicKey).reason()).isEqualTo(Reason.UNSIGNED);
  }

  @Test
  void everySingleBitFlip_isRefused_orAnswersMaybe_andVerifyNamesIt() throws IOException {
    byte[] bytes = Files.readAllBytes(path);
    OpenRules rules = OpenRules.signedBy(List.of(publicKey));
    long pagesEnd = Header.BYTES + Surgery.view(bytes).getLong(48);
    int lazily = 0;
    for (long bit = 0; bit < 8L * bytes.length; bit++) {
      boolean inPages = bit / 8 >= Header.BYTES && bit / 8 < pagesEnd;
      if (inPages && bit % 8 != bit / 8 % 8) {
        continue; // A checksum does not care which bit of a byte it is; a signature takes long.
      }
      byte[] damaged = Surgery.flipBit(bytes, bit);
      String where = "bit " + bit;
      try {
        StoredFile file = FileReader.of(ByteBuffer.wrap(damaged), rules);
        requireAll(Woodbird.wrap(ByteBuffer.wrap(damaged), Keys.longs()), where);
        try {
          file.verify();
          throw new AssertionError("not found: " + where);
        } catch (CorruptFilterException e) {
          assertThat(e.getMessage()).as(where).contains("damaged, at bytes 256");
          lazily++;
        }
      } catch (CorruptFilterException | UntrustedFilterException | IncompatibleFilterException e) {
        assertThat(e.getMessage()).as(where).isNotBlank();
      }
      try {
        Woodbird.readFrom(new ByteArrayInputStream(damaged), Keys.longs());
        throw new AssertionError("read without a key: " + where);
      } catch (CorruptFilterException | IncompatibleFilterException e) {
        assertThat(e.getMessage()).as(where).isNotBlank();
      }
    }
    assertThat(lazily).as("bytes of pages").isEqualTo(pagesEnd - Header.BYTES);
  }

  /** Whoever can write the file makes all checksums right. The signature still tells. */
  @Test
  void aForgedPageWithRightChecksums_saysMaybe_andIsNamed() throws IOException {
    byte[] forged = Files.readAllBytes(path);
    int dataBytes = (int) Surgery.view(forged).getLong(48);
    Arrays.fill(forged, 256, 256 + dataBytes, (byte) -1); // No bit is set.
    Surgery.seal(forged, dataBytes);
    Files.write(path, forged);
    // The control: without the key nobody notices, and keys are lost.
    try (OpenFilter<Long> opened = Woodbird.open(path, Keys.longs())) {
      opened.verify();
      assertThat(LongStream.range(0, KEYS).filter(k -> !opened.mightContain(k)).count())
          .isPositive();
    }
    try (OpenFilter<Long> opened = Woodbird.signedBy(publicKey).open(path, Keys.longs())) {
      requireAll(opened, "forged");
      assertThat(opened.ask(1L << 40)).isEqualTo(Answer.UNKNOWN);
      assertThatThrownBy(opened::verify)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("1 of 1 page is damaged");
    }
    assertThatThrownBy(
            () ->
                Woodbird.signedBy(publicKey)
                    .readFrom(new ByteArrayInputStream(forged), Keys.longs()))
        .isInstanceOf(CorruptFilterException.class);
  }

  @Test
  void aForgedHeader_andASignatureOfAnotherFile_areRefused() throws IOException {
    Path other = folder.resolve("other.wbird");
    filter(1).save(other);
    try (StoredFile signed = FileReader.open(path, OpenRules.ANY);
        StoredFile unsigned = FileReader.open(other, OpenRules.ANY)) {
      byte[] signature = signed.signature();
      assertThat(signature).isNotNull();
      byte[] section = Sections.encode(Sections.SIGNATURE, signature, unsigned.frame().headerCrc());
      byte[] bytes = Files.readAllBytes(other);
      Files.write(other, join(Arrays.copyOf(bytes, bytes.length - 16), section, tail(bytes)));
    }
    // Same header, other keys: the pages tell. Another header: the signature does.
    try (OpenFilter<Long> opened = Woodbird.signedBy(publicKey).open(other, Keys.longs())) {
      assertThat(opened.ask(1L << 40)).isEqualTo(Answer.UNKNOWN);
      assertThatThrownBy(opened::verify).isInstanceOf(CorruptFilterException.class);
    }
    byte[] bytes = Files.readAllBytes(path);
    Surgery.view(bytes).putLong(24, 999);
    Files.write(path, Surgery.seal(bytes, Surgery.view(bytes).getLong(48)));
    assertThat(refused(path, publicKey).reason()).isEqualTo(Reason.ALTERED);
  }

  @Tag("jdk")
  @Test
  void signingAgain_givesTheSameBytes_andAnotherKeyReplacesTheFirst() throws IOException {
    byte[] once = Files.readAllBytes(path);
    Woodbird.sign(path, key);
    assertThat(path).hasBinaryContent(once);
    PublicKey other = otherKey();
    Woodbird.sign(path, SignedFilters.readPrivateKey(folder.resolve("other.pem")));
    assertThat(refused(path, publicKey).reason()).isEqualTo(Reason.FOREIGN);
    Woodbird.signedBy(other).open(path, Keys.longs()).close();
  }

  @Test
  void aLargeSignedFile_isCheckedPageByPage() throws IOException {
    Path large = folder.resolve("large.wbird");
    Filter<Long> bloom = Woodbird.bloom(Keys.longs(), 20_000_000).seed(SEED).build();
    bloom.save(large);
    Woodbird.sign(large, key);
    assertThat(Files.size(large)).isGreaterThan(17 << 20);
    try (StoredFile file = FileReader.open(large, OpenRules.signedBy(List.of(publicKey)))) {
      assertThat(file).isInstanceOf(OwnedFile.class);
    }
    byte[] head = Files.readAllBytes(large);
    head[4096 + 5 * 4096] ^= 1; // In page 5.
    Files.write(large, head);
    try (OpenFilter<Long> opened =
        StoredFilters.open(large, Keys.longs(), OpenRules.signedBy(List.of(publicKey)))) {
      assertThatThrownBy(opened::verify)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("1 of 6,")
          .hasMessageContaining("24,576");
    }
  }

  @Test
  void verify_checksFilesThatCantBeOpened() throws IOException {
    Path delta = folder.resolve("d.wdelta");
    Woodbird.delta(path, Keys.longs()).buildTo(delta, List.of(1L), List.of(2L));
    Woodbird.verify(delta);
    SignedFilters trusted = Woodbird.signedBy(publicKey);
    assertThatThrownBy(() -> trusted.verify(delta)).isInstanceOf(UntrustedFilterException.class);
    Woodbird.sign(delta, key);
    trusted.verify(delta);
    byte[] bytes = Files.readAllBytes(delta);
    bytes[300] ^= 1;
    Files.write(delta, bytes);
    for (Executable verify :
        List.<Executable>of(() -> Woodbird.verify(delta), () -> trusted.verify(delta))) {
      assertThatThrownBy(verify::execute)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageStartingWith(delta + ": ");
    }
  }

  @Tag("jdk")
  @Test
  void keysThatAreNone_areRefused() throws Exception {
    Path wrong = folder.resolve("wrong.pem");
    Files.writeString(wrong, PUBLIC);
    assertThatThrownBy(() -> SignedFilters.readPrivateKey(wrong))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("BEGIN PRIVATE KEY");
    Files.writeString(wrong, PRIVATE.replace("MC4CAQAwBQ", "MC4CAQAwBR"));
    assertThatThrownBy(() -> SignedFilters.readPrivateKey(wrong)).isInstanceOf(IOException.class);
    KeyPair rsa = KeyPairGenerator.getInstance("RSA").generateKeyPair();
    assertThatThrownBy(() -> Woodbird.signedBy(rsa.getPublic()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Woodbird.sign(path, rsa.getPrivate()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] tail(byte[] file) {
    return Arrays.copyOfRange(file, file.length - 16, file.length);
  }

  private static byte[] join(byte[]... parts) {
    int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
    ByteBuffer all = ByteBuffer.allocate(length);
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }
}
