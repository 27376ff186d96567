package io.woodbird.console;

import io.woodbird.console.shared.Json;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The page that a browser shows: scripts run in it, and a test waits for what it does. */
abstract class Page {
  /** The machine may be busy. */
  static final Duration PATIENCE = Duration.ofMinutes(3);

  final DevTools tools;

  Page(DevTools tools) {
    this.tools = tools;
  }

  /** Runs the body of a function in the page, and returns what it returns. */
  public @Nullable Object js(String script, Object... arguments) {
    return evaluate(call(script, Arrays.asList(arguments)));
  }

  /** The same for a function that calls its last argument with its result. */
  public @Nullable Object jsLater(String script, Object... arguments) {
    return evaluate(
        "new Promise((done) => (function () {\n"
            + script
            + "\n}).apply(null, [..."
            + Json.write(Arrays.asList(arguments))
            + ", done]))");
  }

  static String call(String script, List<Object> arguments) {
    return "(function () {\n" + script + "\n}).apply(null, " + Json.write(arguments) + ")";
  }

  private @Nullable Object evaluate(String expression) {
    Map<String, Object> answer =
        tools.send(
            "Runtime.evaluate",
            Map.of(
                "expression",
                expression,
                "returnByValue",
                true,
                "awaitPromise",
                true,
                "userGesture",
                true,
                "allowUnsafeEvalBlockedByCSP",
                false));
    if (answer.get("exceptionDetails") instanceof Map<?, ?> thrown) {
      throw new AssertionError(PageEvents.said(thrown) + "\nin " + expression);
    }
    Map<String, Object> result = DevTools.object(answer.get("result"));
    if (result.get("unserializableValue") instanceof String number) {
      // NaN, an infinity or -0, which JSON can't hold; the value would be missing.
      throw new AssertionError("The result is " + number + "\nin " + expression);
    }
    return result.get("value");
  }

  /**
   * Waits until a script returns true. The page itself looks again and again, which costs less than
   * a message each time.
   */
  public void await(String script, Object... arguments) {
    String look =
        """
        new Promise((done, fail) => {
          const end = performance.now() + 5000;
          const look = () => {
            try {
              const good = LOOK === true;
              if (good || performance.now() > end) done(good);
              else setTimeout(look, 10);
            } catch (error) {
              fail(error);
            }
          };
          look();
        })
        """
            .replace("LOOK", call(script, Arrays.asList(arguments)));
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      try {
        if (Boolean.TRUE.equals(evaluate(look))) {
          settle();
          return;
        }
      } catch (DevTools.RefusedException e) {
        DevTools.pause(10); // Another page has come meanwhile.
      }
    }
    throw new AssertionError("never became true: " + script);
  }

  public String text(String css) {
    Object text = js("return document.querySelector(arguments[0]).textContent", css);
    return String.valueOf(text).replace('\u00a0', ' ');
  }

  public @Nullable String attribute(String css, String name) {
    return (String)
        js("return document.querySelector(arguments[0]).getAttribute(arguments[1])", css, name);
  }

  /** Whether an element is there to be seen. */
  public boolean isShown(String css) {
    return Boolean.TRUE.equals(
        js(
            "return document.querySelector(arguments[0])"
                + ".checkVisibility({ opacityProperty: true, visibilityProperty: true })",
            css));
  }

  /**
   * Waits for the events that wait in the page. The address changes at once, and the page hears of
   * it by an event later: a test would look between the two.
   */
  final void settle() {
    try {
      evaluate("new Promise((done) => setTimeout(() => setTimeout(done)))");
    } catch (DevTools.RefusedException e) {
      DevTools.pause(10); // Another page has come meanwhile.
    }
  }
}
