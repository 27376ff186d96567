package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What goes wrong is said in the language of the page. */
final class ErrorsPageTest extends BrowserTest {
  @Override
  void fill(Path target) throws IOException {
    Woodbird.frozen(Keys.longs()).buildFrom(List.of(1L, 2L)).save(target.resolve("ids.wbird"));
  }

  @Test
  void refusals_areInChinese() {
    browser.open(address("plan?n=many&p=1%25"));
    browser.click("#language");
    browser.await("return document.documentElement.lang === 'zh-CN'");
    browser.await("return document.querySelector('#plan-answer .problem') !== null");
    assertThat(browser.text("#plan-answer"))
        .contains("\u201cmany\u201d\u4e0d\u662f\u952e\u7684\u6570\u91cf");
    browser.type("#plan-keys", "0");
    browser.await(
        "return document.querySelector('#plan-answer .problem')?.textContent.includes(arguments[0])",
        "\u81f3\u5c11\u8981\u6709\u4e00\u4e2a\u952e");
    browser.type("#plan-keys", "1000");
    browser.type("#plan-budget", "5M");
    browser.await(
        "return document.querySelector('#plan-answer .problem')?.textContent.includes('MiB')");
    browser.go("#filters?f=ids.wbird");
    browser.await("return document.querySelector('#file-form') !== null");
    browser.type("#file-key", "seven");
    browser.click("#file-form button");
    browser.await("return document.getElementById('file-answer').dataset.answer === 'ERROR'");
    assertThat(browser.text("#file-answer")).contains("\u6574\u6570");
    console().close();
    browser.click("#file-form button");
    browser.await(
        "return"
            + " document.getElementById('file-answer').textContent.includes('\u6ca1\u6709\u56de\u5e94')");
    browser.js("localStorage.removeItem('woodbird.language')");
    // What the page still waited for when the console was closed is reset, or has no answer.
    assertThat(browser.takeProblems())
        .allMatch(text -> text.contains("400") || text.contains("net::ERR_"));
  }

  /** Every code that Java sends and a person can cause has words. */
  @Test
  void everyCode_hasWords() throws IOException {
    Set<String> codes = new TreeSet<>();
    Pattern made = Pattern.compile("new BadRequestException\\(\\s*\"([\\w.]*\\w)\"");
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        Matcher matcher = made.matcher(Files.readString(file));
        while (matcher.find()) {
          codes.add(matcher.group(1));
        }
      }
    }
    assertThat(codes).contains("noFile", "keyUuid", "low.fpp");
    // What only a forged request can cause.
    codes.removeAll(Set.of("needs", "action", "encoding", "noDemo"));
    try (InputStream in = Assets.class.getResourceAsStream("page/zh.json")) {
      String words = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(codes).allMatch(code -> words.contains("\"error." + code + "\""));
    }
  }
}
