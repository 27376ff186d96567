package io.woodbird.site;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Block;
import org.commonmark.node.Code;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** A page of Markdown, as HTML and as plain text. */
final class Markdown {
  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  private final Node document;
  private final Map<Node, String> anchors = new HashMap<>();
  private final List<String> links = new ArrayList<>();
  private String title = "";
  private final StringBuilder headings = new StringBuilder();

  Markdown(String source) {
    document = PARSER.parse(source);
    Map<String, Integer> seen = new HashMap<>();
    List<Node> noSpace = new ArrayList<>();
    document.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Link link) {
            links.add(link.getDestination());
            super.visit(link);
          }

          @Override
          public void visit(SoftLineBreak line) {
            if (isInsideChinese(line)) {
              noSpace.add(line);
            }
          }

          @Override
          public void visit(Heading heading) {
            String text = text(heading);
            if (title.isEmpty()) {
              title = text;
            } else {
              headings.append(text).append(' ');
            }
            String anchor = anchor(text);
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.put(heading, before == 0 ? anchor : anchor + "-" + before);
          }
        });
    noSpace.forEach(Node::unlink);
  }

  /** Whether a browser would show the end of a line as a space where Chinese has none. */
  private static boolean isInsideChinese(SoftLineBreak line) {
    String before = line.getPrevious() == null ? "" : text(line.getPrevious());
    String after = line.getNext() == null ? "" : text(line.getNext());
    if (before.isEmpty() || after.isEmpty()) {
      return false;
    }
    int last = before.codePointBefore(before.length());
    int first = after.codePointAt(0);
    return isFullWidth(last)
        || isFullWidth(first)
        || (Character.isIdeographic(last) && Character.isIdeographic(first));
  }

  /** Punctuation that brings its own space: of the blocks of Chinese, not quotation marks. */
  private static boolean isFullWidth(int c) {
    return (c >= 0x3000 && c < 0x3040) || (c >= 0xff00 && c < 0xffef);
  }

  /** Where its links lead, in their order. */
  List<String> links() {
    return links;
  }

  /** The first heading. */
  String title() {
    return title;
  }

  /** All other headings. */
  String headings() {
    return headings.toString().strip();
  }

  /** All words, without marks. */
  String text() {
    return text(document).replaceAll("\\s+", " ").strip();
  }

  /** The page as HTML, without what is hidden in comments. */
  String html() {
    return HtmlRenderer.builder()
        .extensions(EXTENSIONS)
        .attributeProviderFactory(
            context ->
                (node, tag, attributes) -> {
                  String anchor = anchors.get(node);
                  if (anchor != null) {
                    attributes.put("id", anchor);
                  }
                  if (tag.equals("pre")) {
                    attributes.put("tabindex", "0");
                  }
                  if (node instanceof TableBlock) {
                    attributes.put("class", "table");
                  }
                })
        .build()
        .render(document)
        .replace("<table class=\"table\">", "<div class=\"scroll\" tabindex=\"0\"><table>")
        .replace("</table>", "</table></div>")
        .replaceAll("(?s)<!--.*?-->", "");
  }

  /** The name of a heading in an address, as GitHub makes it. */
  static String anchor(String heading) {
    return heading
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc}\\- ]", "")
        .replace(' ', '-');
  }

  private static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code code) {
            text.append(code.getLiteral());
          }

          @Override
          public void visit(SoftLineBreak line) {
            text.append(' ');
          }

          @Override
          public void visit(HardLineBreak line) {
            text.append(' ');
          }

          @Override
          protected void visitChildren(Node parent) {
            super.visitChildren(parent);
            if ((parent instanceof Block || parent instanceof TableCell) && parent != node) {
              text.append(' ');
            }
          }
        });
    return text.toString();
  }
}
