package io.woodbird.file;

import java.security.PublicKey;
import java.util.List;

/**
 * Which files a reader takes, and how.
 *
 * @param mapped whether a large file is mapped
 * @param overlays whether the reader asks an overlay too; if not, a file that has one is refused
 * @param signers the keys of which one must have signed the file; if empty, anybody may have
 *     written it
 */
public record OpenRules(boolean mapped, boolean overlays, List<PublicKey> signers) {
  /** Files without overlay, of anybody. */
  public static final OpenRules PLAIN = new OpenRules(false, false, List.of());

  /** Files with or without overlay, of anybody. */
  public static final OpenRules ANY = new OpenRules(false, true, List.of());

  /** The same for files that are mapped. */
  public static final OpenRules MAPPED = new OpenRules(true, true, List.of());

  public OpenRules {
    signers = List.copyOf(signers);
  }

  /** Files with or without overlay that one of these keys signed. */
  public static OpenRules signedBy(List<PublicKey> signers) {
    return new OpenRules(false, true, signers);
  }

  /** Whether a signature is asked for. */
  boolean needSignature() {
    return !signers.isEmpty();
  }
}
