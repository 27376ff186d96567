package io.woodbird.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class PlotTest {
  @Test
  void svg_isTheSameEachTime() {
    assertThat(chart("rival")).isEqualTo(chart("rival")).isNotEqualTo(chart("other"));
  }

  @Test
  void svg_hasATitleAndADescriptionForReadersWhoCannotSeeIt() throws Exception {
    Element svg =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(chart("<rival>"))))
            .getDocumentElement();
    assertThat(svg.getElementsByTagName("title").item(0).getTextContent()).isEqualTo("Bars & bars");
    assertThat(svg.getElementsByTagName("desc").item(0).getTextContent())
        .isEqualTo("all: woodbird 1 ns; <rival> 0.001 ns;");
  }

  @Test
  void svg_hasEachColourForLightAndForDarkGround() {
    String[] parts = chart("rival").split("</style>", 2);
    assertThat(parts[0]).contains("svg { --c0: #ffffff;", "dark) { svg { --c0: #0f1720;");
    assertThat(parts[1])
        .contains("fill=\"var(--c0)\"", "fill=\"var(--c4)\"", "fill=\"var(--c12)\"")
        .doesNotContain("rgb(11,102,195)", "#1f2933");
  }

  @Test
  void svg_keepsTheDigitsOfItsTexts() {
    String drawn = chart("rival").split("</desc>", 2)[1];
    assertThat(drawn).contains("0.001 ns").doesNotContainPattern("\"[0-9]+\\.[0-9]{3,}");
  }

  private static String chart(String rival) {
    List<BarChart.Bar> bars =
        List.of(
            new BarChart.Bar("woodbird", true, 1, "1 ns"),
            new BarChart.Bar(rival, false, 0.001, "0.001 ns"));
    return BarChart.draw("Bars & bars", "short", 0, List.of(new BarChart.Group("all", bars)));
  }
}
