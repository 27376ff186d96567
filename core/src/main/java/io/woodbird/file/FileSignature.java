package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.UntrustedFilterException;
import io.woodbird.UntrustedFilterException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** The signature of a file: who signed it, and a hash of each page. */
final class FileSignature {
  /*
   *    0  u32 1: Ed25519, SHA-256; u32 0
   *    8  the public key, 32 bytes
   *   40  the signature, 64 bytes
   *  104  16 bytes for each page: the start of the SHA-256 of its number (u64) and its bytes
   *
   * What is signed: "Woodbird signature 1\n", the header, and the SHA-256 of all page hashes. So
   * opening a file reads one 256th of it, and a page is checked when it is first needed.
   *
   * The checksums of the page table would not do: somebody who changes a page can choose four other
   * bytes of it so that its CRC32C is as before. To find another page with the same 16 bytes of
   * SHA-256 takes 2^128 attempts. A signed file has the checksums too: they find accidents in
   * every file, and need no key.
   */
  static final int HEAD_BYTES = 104;
  static final int PAGE_HASH_BYTES = 16;

  private static final int ED25519 = 1;
  private static final int KEY_AT = 8;
  private static final int KEY_BYTES = 32;
  private static final int SIGNATURE_AT = KEY_AT + KEY_BYTES;
  private static final byte[] PREFIX = "Woodbird signature 1\n".getBytes(StandardCharsets.US_ASCII);

  private final byte[] body;

  private FileSignature(byte[] body) {
    this.body = body;
  }

  /** Gives the content of a page. */
  interface Pages {
    /** Returns the bytes of a page, or throws if it is damaged. */
    ByteBuffer page(int page) throws CorruptFilterException;
  }

  /**
   * Signs a file and returns the body of the section. Throws if the keys are not a pair of Ed25519.
   */
  static byte[] sign(PrivateKey key, PublicKey publicKey, byte[] header, int pageCount, Pages pages)
      throws CorruptFilterException, GeneralSecurityException {
    byte[] body =
        new byte[Math.addExact(HEAD_BYTES, Math.multiplyExact(PAGE_HASH_BYTES, pageCount))];
    for (int page = 0; page < pageCount; page++) {
      System.arraycopy(
          hash(page, pages.page(page)),
          0,
          body,
          HEAD_BYTES + PAGE_HASH_BYTES * page,
          PAGE_HASH_BYTES);
    }
    Bytes.wrap(body).putInt(0, ED25519);
    System.arraycopy(raw(publicKey), 0, body, KEY_AT, KEY_BYTES);
    Signature signer = Signature.getInstance("Ed25519");
    signer.initSign(key);
    signer.update(message(header, body));
    byte[] signature = signer.sign();
    System.arraycopy(signature, 0, body, SIGNATURE_AT, signature.length);
    if (!verifies(publicKey, header, body)) {
      throw new GeneralSecurityException("the private key does not belong to the public key");
    }
    return body;
  }

  /** Checks who signed a file; see {@link UntrustedFilterException}. */
  static FileSignature check(byte[] body, byte[] header, int pageCount, List<PublicKey> signers)
      throws CorruptFilterException, UntrustedFilterException {
    boolean possible =
        body.length == HEAD_BYTES + (long) PAGE_HASH_BYTES * pageCount
            && Bytes.wrap(body).getLong(0) == ED25519;
    if (!possible) {
      throw new CorruptFilterException("the file has a signature of an unknown form");
    }
    byte[] owner = Arrays.copyOfRange(body, KEY_AT, SIGNATURE_AT);
    for (PublicKey signer : signers) {
      if (Arrays.equals(raw(signer), owner)) {
        if (!verifies(signer, header, body)) {
          throw new UntrustedFilterException(
              Reason.ALTERED, "the file was altered after it was signed: the signature is wrong");
        }
        return new FileSignature(body);
      }
    }
    throw new UntrustedFilterException(
        Reason.FOREIGN,
        String.format(
            Locale.ROOT,
            "the file is signed by another key: %s, not %s",
            HexFormat.of().formatHex(owner),
            String.join(" or ", signers.stream().map(FileSignature::hex).toList())));
  }

  /** Whether a page is the one that was signed. */
  boolean fits(int page, ByteBuffer content) {
    int from = HEAD_BYTES + PAGE_HASH_BYTES * page;
    return Arrays.equals(
        body, from, from + PAGE_HASH_BYTES, hash(page, content), 0, PAGE_HASH_BYTES);
  }

  /** The signer's key in hex. */
  static String hex(PublicKey key) {
    return HexFormat.of().formatHex(raw(key));
  }

  /** The 32 bytes of a key: the end of its standard encoding. */
  private static byte[] raw(PublicKey key) {
    byte[] encoded = key.getEncoded();
    return Arrays.copyOfRange(encoded, encoded.length - KEY_BYTES, encoded.length);
  }

  private static boolean verifies(PublicKey key, byte[] header, byte[] body) {
    try {
      Signature verifier = Signature.getInstance("Ed25519");
      verifier.initVerify(key);
      verifier.update(message(header, body));
      return verifier.verify(body, SIGNATURE_AT, HEAD_BYTES - SIGNATURE_AT);
    } catch (GeneralSecurityException e) {
      return false; // Not a signature at all, or not of such a key.
    }
  }

  private static byte[] message(byte[] header, byte[] body) {
    MessageDigest digest = sha256();
    digest.update(body, HEAD_BYTES, body.length - HEAD_BYTES);
    return ByteBuffer.allocate(PREFIX.length + header.length + digest.getDigestLength())
        .put(PREFIX)
        .put(header)
        .put(digest.digest())
        .array();
  }

  private static byte[] hash(int page, ByteBuffer content) {
    MessageDigest digest = sha256();
    digest.update(Bytes.allocate(8).putLong(0, page));
    digest.update(content.duplicate());
    return digest.digest();
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java platform has it.
    }
  }
}
