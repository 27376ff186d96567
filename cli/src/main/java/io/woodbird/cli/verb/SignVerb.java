package io.woodbird.cli.verb;

import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.List;

/** {@code sign}: signs filters and deltas, and makes keys for that. */
public final class SignVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("sign", "sign a filter or a delta")
        .arguments("[FILE]", 0, 1)
        .about(
            """
            Signs a file with a private key of Ed25519, in place of a signature that it may have. The file is
            replaced by a signed copy when that is whole; with -o the copy is another file. Keys are PEM
            files as OpenSSL writes them. --new-key makes a pair: KEY, which only its owner can read, and
            KEY.pub, with which others check ('verify --key', 'patch --key', signedBy in Java).

            The signature covers the header and a SHA-256 of each page, so a large file is opened without being
            read. Writing a filter again, with 'merge' or in a program, leaves the signature out.""")
        .options(
            Option.file("key", "the private key, PEM (PKCS#8)").letter('k'),
            Option.file("new-key", "make a new pair of keys in this file and FILE.pub"),
            Option.file("output", "the signed copy").letter('o'),
            Option.flag("force", "overwrite the output").letter('f'),
            Option.flag("json", "one JSON object, schema woodbird.sign/1"))
        .example("woodbird sign --new-key key.pem", "makes key.pem and key.pem.pub")
        .example("woodbird sign -k key.pem block.wbird", "signs block.wbird")
        .example("woodbird sign -k key.pem block.wbird -o signed.wbird", "leaves block.wbird alone")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    call.exclude("key", "new-key");
    String newKey = call.text("new-key");
    if (newKey != null) {
      return create(call, newKey);
    }
    String key = call.text("key");
    if (key == null || call.words().isEmpty()) {
      throw call.spec()
          .misuse(
              Problem.MISSING,
              key == null ? "'sign' needs --key FILE, or --new-key FILE." : "'sign' needs a file.");
    }
    Path path = Source.pathOf(call.words().get(0));
    Filters.fileHeader(path);
    Path target = copy(call, path);
    PrivateKey secret = Signers.privateKey(key);
    writing(target, () -> Woodbird.sign(path, secret, target));
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.sign/1")
              .put("file", target.toString())
              .put("bytes", Files.size(target)));
    } else {
      call.say(
          "%s  signed, %s", call.text("output", path.toString()), Units.bytes(Files.size(target)));
    }
    return ExitCode.DONE;
  }

  interface Writing {
    void run() throws IOException;
  }

  /** Writes a file while nobody changes it. */
  @SuppressWarnings("try") // The lock is held, and not looked at.
  static void writing(Path target, Writing writing) throws IOException {
    Path file = Files.exists(target) ? target.toRealPath() : target; // A lock lies beside it.
    try (Closeable held = new Target(target.toString(), file, true).lock()) {
      writing.run();
    } catch (FileSystemException e) {
      throw changed(target, e);
    }
  }

  /** Says that a file was replaced while it was read, if that is what is wrong. */
  private static FileSystemException changed(Path target, FileSystemException e) {
    if (String.valueOf(e.getReason()).contains("was replaced meanwhile")) {
      throw Filters.replaced(target, e);
    }
    return e;
  }

  /** The file of {@code -o}, or the input itself. */
  static Path copy(Call call, Path path, Path... others) throws IOException {
    if (!call.has("output")) {
      return path;
    }
    List<Source> inputs = new ArrayList<>(List.of(new Source(path.toString(), path)));
    for (Path other : others) {
      inputs.add(new Source(other.toString(), other));
    }
    return Target.of(call, null, inputs).requireFile(call);
  }

  private static int create(Call call, String name) throws IOException {
    Path secret = Source.pathOf(name);
    Path open = Source.pathOf(name + ".pub");
    try {
      SignedFilters.createKeys(secret, open);
    } catch (FileAlreadyExistsException e) {
      throw Problem.EXISTS.failure(
          e,
          e.getFile() + " exists.",
          "A key is never overwritten: what it signed could not be signed again.",
          "another name");
    }
    call.say("%s  the private key: keep it to yourself", secret);
    call.say("%s  the public key: give it to those who check", open);
    return ExitCode.DONE;
  }
}
