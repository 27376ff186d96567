package io.woodbird.docs;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Pages in Chinese, and the English page that each of them follows. */
final class Translation {
  private Translation() {}

  /** The English page of a Chinese one; nothing if the page is English. */
  static Optional<String> original(String name) {
    if (name.equals("README.zh.md")) {
      return Optional.of("README.md");
    }
    return name.startsWith("docs/zh/")
        ? Optional.of("docs/" + name.substring("docs/zh/".length()))
        : Optional.empty();
  }

  /** The blocks without comments, which a translation may translate, and without spaces. */
  static List<String> code(Page page) {
    return page.blocks().stream()
        .map(
            block ->
                block.name()
                    + "\n"
                    + block
                        .text()
                        .lines()
                        .map(line -> line.replaceFirst("(^|\\s)(//|#)(\\s.*)?$", ""))
                        .map(line -> line.replaceAll("\\s+", " ").strip())
                        .filter(line -> !line.isEmpty())
                        .collect(Collectors.joining("\n")))
        .toList();
  }
}
