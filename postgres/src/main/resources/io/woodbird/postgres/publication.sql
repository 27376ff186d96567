select p.puballtables,
       p.pubinsert and p.pubupdate,
       r.oid is not null,
       to_jsonb(r) ->> 'prqual' is null and to_jsonb(r) ->> 'prattrs' is null,
       p.pubviaroot
  from pg_publication p
  left join (pg_publication_rel r join pg_class t on t.oid = r.prrelid join pg_namespace n on n.oid = t.relnamespace)
         on r.prpubid = p.oid and n.nspname = ? and t.relname = ?
 where p.pubname = ?
