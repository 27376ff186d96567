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
       end,
       (with recursive base(type, modifier) as (
           select a.atttypid, a.atttypmod
           union all
           select d.typbasetype, d.typtypmod from base join pg_type d on d.oid = base.type and d.typtype = 'd')
        select case
                 when b.typname in ('int2', 'int4', 'int8', 'oid', 'uuid', 'bool', 'char', 'name') then 'one text'
                 when b.typname in ('text', 'varchar') and c.collisdeterministic then 'one text'
                 when b.typname = 'numeric' and (modifier - 4) & 2047 = 0 and modifier >= 0 then 'one text'
                 when b.typname in ('text', 'varchar', 'bpchar', 'citext', 'numeric') then 'several texts'
                 else 'another text'
               end
          from base
          join pg_type b on b.oid = base.type and b.typtype = 'b'
          left join pg_collation c on c.oid = a.attcollation),
       format_type(a.atttypid, a.atttypmod),
       (select amname from pg_am where oid = t.relam),
       to_regclass('pg_catalog.pg_dist_partition') is not null,
       current_setting('synchronous_standby_names'),
       strpos(current_setting('synchronous_standby_names'), '*') > 0
         or lower(current_setting('application_name')) = any (
              regexp_split_to_array(lower(current_setting('synchronous_standby_names')), '[[:space:](),"]+')
              || regexp_split_to_array(lower(current_setting('synchronous_standby_names')), '"'))
            and current_setting('application_name') <> ''
  from (select) one
  left join (pg_class t join pg_namespace n on n.oid = t.relnamespace) on n.nspname = ? and t.relname = ?
  left join pg_attribute a on a.attrelid = t.oid and a.attname = ? and a.attnum > 0 and not a.attisdropped
