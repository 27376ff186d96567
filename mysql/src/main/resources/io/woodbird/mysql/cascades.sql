select r.constraint_name
from information_schema.referential_constraints r
join information_schema.key_column_usage k
  on k.constraint_schema = r.constraint_schema
  and k.constraint_name = r.constraint_name
  and k.table_name = r.table_name
where r.constraint_schema = ? and r.table_name = ? and k.column_name = ?
  and r.update_rule in ('CASCADE', 'SET DEFAULT')
