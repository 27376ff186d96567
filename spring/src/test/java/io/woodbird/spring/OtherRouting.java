package io.woodbird.spring;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A DataSource that leads to several databases and is not Spring's. */
final class OtherRouting {
  private OtherRouting() {}

  /** Has the name of Spring's class, as that of dynamic-datasource. */
  abstract static class AbstractRoutingDataSource extends DelegatingDataSource {
    AbstractRoutingDataSource(DataSource only) {
      super(only);
    }
  }

  /** Has the name of Apache's class for shards. */
  static final class ShardingSphereDataSource extends DelegatingDataSource {
    ShardingSphereDataSource(DataSource only) {
      super(only);
    }
  }

  static DataSource of(DataSource only) {
    return new AbstractRoutingDataSource(only) {};
  }

  static DataSource sharding(DataSource only) {
    return new ShardingSphereDataSource(only);
  }
}
