package io.woodbird.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.postgresql.ds.PGSimpleDataSource;

/** One PostgreSQL for all tests that do it no harm, each with a database of its own. */
final class SharedPostgres {
  private SharedPostgres() {}

  private static final class Holder {
    static final EmbeddedPostgres SERVER = start();

    /** It is stopped when the JVM ends. */
    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  static int port() {
    return Holder.SERVER.getPort();
  }

  /** Makes a database. */
  static Database create(String name) {
    new Database(Holder.SERVER.getPostgresDatabase()).run("create database " + name);
    return new Database(of(port(), name, "postgres", ""));
  }

  /** Leads to a database, perhaps by way of another port. */
  static PGSimpleDataSource of(int port, String name, String user, String more) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL("jdbc:postgresql://127.0.0.1:%d/%s?%s".formatted(port, name, more));
    source.setUser(user);
    return source;
  }
}
