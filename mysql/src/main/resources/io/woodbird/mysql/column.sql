select
  c.table_schema, c.table_name, c.column_name, c.ordinal_position, c.data_type, c.column_type,
  c.character_set_name, c.collation_name, c.character_maximum_length, c.extra,
  @@lower_case_table_names,
  (select count(*) from information_schema.columns a
    where a.table_schema = c.table_schema and a.table_name = c.table_name)
from information_schema.columns c
where c.table_schema = ? and c.table_name = ? and c.column_name = ?
