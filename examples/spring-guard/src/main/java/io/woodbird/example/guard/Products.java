package io.woodbird.example.guard;

import java.util.Optional;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The service, as it was before anybody thought of attacks. */
@Service
class Products {
  /** What the database counts. */
  static final String QUERY = "select id, name, cents from product where id = ?";

  private final JdbcTemplate jdbc;

  Products(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  @Cacheable(value = "products", unless = "#result == null")
  public Optional<Product> find(long id) {
    return jdbc
        .query(
            QUERY,
            (row, number) -> new Product(row.getLong(1), row.getString(2), row.getLong(3)),
            id)
        .stream()
        .findFirst();
  }

  @Transactional
  public Product create(String name, long cents) {
    Long id =
        jdbc.queryForObject(
            "insert into product (name, cents) values (?, ?) returning id",
            Long.class,
            name,
            cents);
    return new Product(id == null ? 0 : id, name, cents);
  }
}
