select pg_current_wal_insert_lsn()::text,
       txid_current_snapshot()::text,
       concat_ws(' ', s.system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), t.oid, t.relpersistence,
                 t.relkind, t.relam, to_regclass('pg_catalog.pg_dist_partition') is null,
                 strpos(current_setting('synchronous_standby_names'), '*') > 0, a.attnum, a.xmin, p.oid, p.xmin, p.xmax, r.oid, r.xmin, r.xmax,
                 exists (select from pg_inherits where inhparent = t.oid)),
       t.oid,
       coalesce((select active_pid from pg_replication_slots where slot_name = ?), 0)
  from pg_control_system() s, pg_namespace n, pg_class t, pg_attribute a, pg_publication p, pg_publication_rel r
 where n.nspname = ? and t.relname = ? and t.relnamespace = n.oid
   and a.attname = ? and a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
   and p.pubname = ? and r.prpubid = p.oid and r.prrelid = t.oid
