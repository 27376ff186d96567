select current_setting('wal_level'),
       pg_is_in_recovery(),
       current_setting('max_slot_wal_keep_size', true),
       t.relkind = 'r' and t.relpersistence = 'p',
       exists (select from pg_inherits where inhparent = t.oid),
       a.attnum is not null,
       coalesce(a.attgenerated::text, ''),
       case t.relreplident
         when 'd' then exists (select from pg_index where indrelid = t.oid and indisprimary)
         when 'i' then exists (select from pg_index where indrelid = t.oid and indisreplident)
         else t.relreplident = 'f'
       end
  from (select) one
  left join (pg_class t join pg_namespace n on n.oid = t.relnamespace) on n.nspname = ? and t.relname = ?
  left join pg_attribute a on a.attrelid = t.oid and a.attname = ? and a.attnum > 0 and not a.attisdropped
