package io.woodbird.spring;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A DataSource that chooses by the calling thread and is not Spring's. */
final class OtherRouting {
  private OtherRouting() {}

  /** Has the name of Spring's class, as that of dynamic-datasource. */
  abstract static class AbstractRoutingDataSource extends DelegatingDataSource {
    AbstractRoutingDataSource(DataSource only) {
      super(only);
    }
  }

  static DataSource of(DataSource only) {
    return new AbstractRoutingDataSource(only) {};
  }
}
