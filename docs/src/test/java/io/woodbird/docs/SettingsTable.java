package io.woodbird.docs;

import io.woodbird.spring.WoodbirdConsoleProperties;
import io.woodbird.spring.WoodbirdProperties;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the starter as a table, from the records that they are bound to, and their
 * Javadoc: what an editor shows too.
 */
final class SettingsTable {
  private SettingsTable() {}

  /**
   * One setting.
   *
   * @param name as in application.properties
   * @param type the simple name of its type
   * @param value the default, or nothing
   * @param meaning what its Javadoc says
   */
  record Setting(String name, String type, String value, String meaning) {}

  /** All settings. */
  static List<Setting> all() throws IOException {
    List<Setting> settings = new ArrayList<>();
    add("woodbird.", WoodbirdProperties.class, WoodbirdProperties.class, settings);
    add(
        "woodbird.console.",
        WoodbirdConsoleProperties.class,
        WoodbirdConsoleProperties.class,
        settings);
    return settings;
  }

  private static void add(String prefix, Class<?> record, Class<?> file, List<Setting> settings)
      throws IOException {
    for (RecordComponent component : record.getRecordComponents()) {
      String name = prefix + kebab(component.getName());
      if (component.getName().equals("guards")) {
        add(name + ".<name>.", WoodbirdProperties.GuardProperties.class, file, settings);
      } else if (component.getType().isRecord()) {
        add(name + ".", component.getType(), file, settings);
      } else {
        DefaultValue given = parameter(record, component);
        settings.add(
            new Setting(
                name,
                component.getType().getSimpleName().toLowerCase(Locale.ROOT),
                given == null ? "" : String.join(", ", given.value()),
                meaning(file, record, component.getName())));
      }
    }
  }

  private static DefaultValue parameter(Class<?> record, RecordComponent component) {
    RecordComponent[] components = record.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      if (components[i].getName().equals(component.getName())) {
        return record.getDeclaredConstructors()[0].getParameters()[i].getAnnotation(
            DefaultValue.class);
      }
    }
    throw new AssertionError(component);
  }

  private static String kebab(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /** The tag of a parameter in the Javadoc in front of a record. */
  private static String meaning(Class<?> file, Class<?> record, String parameter)
      throws IOException {
    String source =
        Files.readString(
            Page.root()
                .resolve("spring/src/main/java/io/woodbird/spring")
                .resolve(file.getSimpleName() + ".java"));
    String before = source.substring(0, source.indexOf("record " + record.getSimpleName() + "("));
    String comment = before.substring(before.lastIndexOf("/**"));
    Matcher tag =
        Pattern.compile("@param " + parameter + " (.*?)(?=\\* @param|\\*/)", Pattern.DOTALL)
            .matcher(comment);
    if (!tag.find()) {
      throw new AssertionError("no @param " + parameter + " of " + record);
    }
    return tag.group(1).replaceAll("\\s*\n\\s*\\*\\s*", " ").strip();
  }

  /** The table; in Chinese the meanings are those of the words. */
  static String table(Properties words, boolean chinese) throws IOException {
    StringBuilder table = new StringBuilder(words.getProperty("settings.head"));
    table.append("\n|---|---|---|---|\n");
    for (Setting setting : all()) {
      String meaning = setting.meaning;
      if (chinese) {
        meaning = words.getProperty("settings." + setting.name.replace(".<name>.", "."));
        if (meaning == null) {
          throw new AssertionError("numbers-zh.properties lacks settings." + setting.name);
        }
      }
      table.append(
          String.format(
              "| `%s` | %s | %s | %s |%n",
              setting.name,
              setting.type,
              setting.value.isEmpty() ? "" : "`" + setting.value + "`",
              meaning.replace("|", "\\|")));
    }
    return table.toString();
  }
}
