package io.woodbird;

import io.woodbird.file.OpenRules;
import io.woodbird.filter.Deltas;
import io.woodbird.filter.StoredFilters;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens only files that a known key signed. Made by {@link Woodbird#signedBy}.
 *
 * <pre>{@code
 * PublicKey publisher = SignedFilters.readPublicKey(Path.of("publisher.pem"));
 * try (OpenFilter<String> list = Woodbird.signedBy(publisher).open(path, Keys.strings())) {
 *   ...
 * }
 * }</pre>
 *
 * <p>The signature covers the header, and a SHA-256 of each page. Opening checks the signature and
 * reads no page; a page is checked when it is first needed. A page that is not the one that was
 * signed can't say "not here", as any damaged page: its keys get {@link Answer#UNKNOWN}, and {@link
 * OpenFilter#verify} names it. Pages are always kept in memory of this process, where nobody can
 * change them after the check, and the file is never mapped.
 *
 * <p>If the file was {@linkplain Woodbird#patch patched}, base and delta must both be signed. A
 * signature does not say when: an older file of the same signer passes too.
 */
public final class SignedFilters {
  private final OpenRules rules;

  SignedFilters(PublicKey key, PublicKey... more) {
    List<PublicKey> signers = new ArrayList<>();
    signers.add(SigningKeys.requireEd25519(key));
    for (PublicKey other : more) {
      signers.add(SigningKeys.requireEd25519(other));
    }
    this.rules = OpenRules.signedBy(signers);
  }

  /**
   * Makes a new pair of Ed25519 keys, in two new PEM files (PKCS#8 and X.509, as OpenSSL writes
   * them). Keep the private one to yourself: on systems with POSIX permissions only its owner can
   * read it.
   *
   * @param privateKey the file for the private key, with which {@link Woodbird#sign} signs
   * @param publicKey the file for the public key
   * @throws IOException if one of the files exists or can't be written
   */
  public static void createKeys(Path privateKey, Path publicKey) throws IOException {
    SigningKeys.create(privateKey, publicKey);
  }

  /**
   * Reads a public key of Ed25519.
   *
   * @param path a PEM file with {@code BEGIN PUBLIC KEY}
   * @return the key
   * @throws IOException if the file can't be read, or has no such key
   */
  public static PublicKey readPublicKey(Path path) throws IOException {
    return SigningKeys.readPublic(path);
  }

  /**
   * Reads a private key of Ed25519, which is not encrypted.
   *
   * @param path a PEM file with {@code BEGIN PRIVATE KEY}
   * @return the key
   * @throws IOException if the file can't be read, or has no such key
   */
  public static PrivateKey readPrivateKey(Path path) throws IOException {
    return SigningKeys.readPrivate(path);
  }

  /**
   * Opens a signed file, as {@link Woodbird#open} does.
   *
   * @param <K> the type of the keys
   * @param path the file
   * @param keys the key hasher that the filter was built with
   * @return the filter; close it after use
   * @throws UntrustedFilterException if it is not signed, signed by another key, or altered
   * @throws CorruptFilterException if the file is damaged, cut short, or not a filter
   * @throws IncompatibleFilterException if it was built with other keys or by another version
   * @throws IOException if it can't be read
   */
  public <K> OpenFilter<K> open(Path path, KeyHasher<K> keys) throws IOException {
    return StoredFilters.open(path, keys, rules);
  }

  /**
   * Reads a signed filter, as {@link Woodbird#readFrom} does.
   *
   * @param <K> the type of the keys
   * @param in gives a signed file; it is read to the filter's end and no further
   * @param keys the key hasher that the filter was built with
   * @return the filter
   * @throws UntrustedFilterException if it is not signed, signed by another key, or altered
   * @throws CorruptFilterException if the bytes are damaged, cut short, or not a filter
   * @throws IncompatibleFilterException if it was built with other keys or by another version
   * @throws IOException if the stream fails
   */
  public <K> Filter<K> readFrom(InputStream in, KeyHasher<K> keys) throws IOException {
    return StoredFilters.read(in, keys, rules);
  }

  /**
   * Checks that a file was signed, and that every page is the one that was signed: a filter of any
   * kind, a delta, or a filter of another program, which {@link #open} does not open.
   *
   * @param path the file
   * @throws UntrustedFilterException if it is not signed, signed by another key, or altered
   * @throws CorruptFilterException if the file is damaged, cut short, or not a filter
   * @throws IOException if it can't be read
   */
  public void verify(Path path) throws IOException {
    StoredFilters.verify(path, rules);
  }

  /**
   * Applies a signed delta to a signed base, as {@link Woodbird#patch} does.
   *
   * @param base the file that the delta was made for, as it was or patched before
   * @param delta the delta
   * @param target the new file; may be the base
   * @throws UntrustedFilterException if one of them, or the new file, is not signed, signed by
   *     another key, or altered
   * @throws CorruptFilterException if the base or the delta is damaged
   * @throws IncompatibleFilterException if the delta was made for another base
   * @throws IOException if a file can't be read or written
   */
  public void patch(Path base, Path delta, Path target) throws IOException {
    Deltas.patch(base, delta, target, rules);
  }
}
