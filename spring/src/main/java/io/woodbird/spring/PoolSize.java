package io.woodbird.spring;

import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.util.ClassUtils;

/** How large a pool of connections is, as far as Spring Boot knows it. */
final class PoolSize {
  private static final int SPACIOUS = 4;
  static final String PROVIDER =
      "org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider";
  private static final boolean PRESENT =
      ClassUtils.isPresent(PROVIDER, PoolSize.class.getClassLoader());

  private PoolSize() {}

  /** Whether a pool can spare a connection for good. False if its size is not known. */
  static boolean isSpacious(DataSource pool, BeanFactory beans) {
    if (!PRESENT) {
      return false;
    }
    DataSourcePoolMetadata about =
        new CompositeDataSourcePoolMetadataProvider(
                beans.getBeanProvider(DataSourcePoolMetadataProvider.class).stream().toList())
            .getDataSourcePoolMetadata(pool);
    Integer most = about == null ? null : about.getMax();
    return most != null && (most < 0 || most >= SPACIOUS); // Negative is without a limit.
  }
}
