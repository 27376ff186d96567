package io.woodbird;

import io.woodbird.file.FileEdit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keys of Ed25519 in PEM files, as OpenSSL and other programs write them: PKCS#8 for private keys,
 * X.509 (SPKI) for public keys.
 */
final class SigningKeys {
  private static final String ALGORITHM = "Ed25519";
  private static final Pattern PEM =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");
  private static final int LINE = 64;

  private SigningKeys() {}

  /** See {@link SignedFilters#readPublicKey}. */
  static PublicKey readPublic(Path path) throws IOException {
    byte[] encoded = decode(path, "PUBLIC KEY");
    try {
      return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded));
    } catch (GeneralSecurityException e) {
      throw new IOException(path + " has no public key of Ed25519: " + e.getMessage(), e);
    }
  }

  /** See {@link SignedFilters#readPrivateKey}. */
  static PrivateKey readPrivate(Path path) throws IOException {
    byte[] encoded = decode(path, "PRIVATE KEY");
    try {
      return KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(encoded));
    } catch (GeneralSecurityException e) {
      throw new IOException(path + " has no private key of Ed25519: " + e.getMessage(), e);
    }
  }

  /** See {@link SignedFilters#createKeys}. */
  static void create(Path privateKey, Path publicKey) throws IOException {
    try {
      KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
      boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
      FileAttribute<?>[] ownerOnly =
          posix
              ? new FileAttribute<?>[] {
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
              }
              : new FileAttribute<?>[0];
      write(privateKey, "PRIVATE KEY", pair.getPrivate().getEncoded(), ownerOnly);
      try {
        write(publicKey, "PUBLIC KEY", pair.getPublic().getEncoded());
      } catch (IOException e) {
        Files.deleteIfExists(privateKey); // Half a pair would be in the way of the next one.
        throw e;
      }
    } catch (GeneralSecurityException e) {
      throw new IOException("this Java has no Ed25519: " + e.getMessage(), e);
    }
  }

  private static void write(Path path, String kind, byte[] key, FileAttribute<?>... attributes)
      throws IOException {
    String body = Base64.getMimeEncoder(LINE, new byte[] {(byte) '\n'}).encodeToString(key);
    String text = "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
    try (SeekableByteChannel out =
        Files.newByteChannel(
            path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
      try {
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
      } catch (IOException e) {
        Files.deleteIfExists(path); // Ours: it was not there before.
        throw e;
      }
    }
  }

  private static byte[] decode(Path path, String kind) throws IOException {
    String text = new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
    Matcher matcher = PEM.matcher(text);
    while (matcher.find()) {
      if (matcher.group(1).equals(kind)) {
        try {
          return Base64.getMimeDecoder().decode(matcher.group(2));
        } catch (IllegalArgumentException e) {
          throw new IOException(path + " is damaged: " + e.getMessage(), e);
        }
      }
    }
    throw new IOException(path + " has no line \"-----BEGIN " + kind + "-----\"");
  }

  static PublicKey requireEd25519(PublicKey key) {
    Objects.requireNonNull(key, "key");
    if (key instanceof EdECPublicKey ed
        && ed.getParams().getName().equals(NamedParameterSpec.ED25519.getName())) {
      return key;
    }
    throw new IllegalArgumentException("a key of Ed25519 is needed: " + key.getAlgorithm());
  }

  /** See {@link Woodbird#sign(Path, PrivateKey, Path)}. */
  static void sign(Path path, PrivateKey key, Path target) throws IOException {
    Objects.requireNonNull(key, "key");
    try {
      FileEdit.sign(path, key, publicKeyOf(key), target);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "a private key of Ed25519 is needed: " + e.getMessage(), e);
    }
  }

  /** Computes the public key: a generator makes it from the 32 random bytes of a private key. */
  private static PublicKey publicKeyOf(PrivateKey key) throws GeneralSecurityException {
    byte[] secret = key instanceof EdECPrivateKey ed ? ed.getBytes().orElse(null) : null;
    if (secret == null) {
      throw new GeneralSecurityException("not " + key.getAlgorithm());
    }
    KeyPairGenerator generator = KeyPairGenerator.getInstance(ALGORITHM);
    // Whether it is really the key that belongs to it is seen when the signature is checked.
    generator.initialize(NamedParameterSpec.ED25519, new Given(secret));
    return generator.generateKeyPair().getPublic();
  }

  /** Gives the same bytes always. */
  private static final class Given extends SecureRandom {
    private static final long serialVersionUID = 1;
    private final byte[] bytes;

    Given(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public void nextBytes(byte[] target) {
      System.arraycopy(bytes, 0, target, 0, Math.min(bytes.length, target.length));
    }
  }
}
