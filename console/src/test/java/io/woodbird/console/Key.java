package io.woodbird.console;

/** A key of the keyboard that is no letter. */
public enum Key {
  BACKSPACE("Backspace", 8, ""),
  TAB("Tab", 9, ""),
  ENTER("Enter", 13, "\r"),
  ESCAPE("Escape", 27, ""),
  SPACE(" ", 32, " "),
  PAGE_DOWN("PageDown", 34, ""),
  HOME("Home", 36, ""),
  ARROW_LEFT("ArrowLeft", 37, ""),
  ARROW_RIGHT("ArrowRight", 39, ""),
  ARROW_DOWN("ArrowDown", 40, "");

  /** Its name in events of the page. */
  final String key;

  /** Its number, by which the browser knows what it does. */
  final int code;

  /** What it types. */
  final String text;

  Key(String key, int code, String text) {
    this.key = key;
    this.code = code;
    this.text = text;
  }
}
