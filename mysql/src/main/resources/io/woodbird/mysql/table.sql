select table_type, engine
from information_schema.tables
where table_schema = ? and table_name = ?
