package io.woodbird.spark;

import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog with Woodbird's functions for SQL.
 *
 * <p>With {@code spark.sql.catalog.woodbird=io.woodbird.spark.WoodbirdCatalog}, or after {@link
 * WoodbirdSpark#register}, a query can say {@code woodbird.might_contain('hdfs:///urls.wbird',
 * url)}.
 */
public final class WoodbirdCatalog implements FunctionCatalog {
  private String name = "woodbird";

  /** Made by Spark. */
  public WoodbirdCatalog() {}

  @Override
  public void initialize(String catalogName, CaseInsensitiveStringMap options) {
    name = catalogName;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Identifier[] listFunctions(String[] namespace) throws NoSuchNamespaceException {
    if (namespace.length > 0) {
      throw new NoSuchNamespaceException(namespace);
    }
    return new Identifier[] {Identifier.of(namespace, MightContain.NAME)};
  }

  @Override
  public UnboundFunction loadFunction(Identifier function) throws NoSuchFunctionException {
    if (function.namespace().length > 0 || !function.name().equalsIgnoreCase(MightContain.NAME)) {
      throw new NoSuchFunctionException(function);
    }
    return new MightContain();
  }
}
