/**
 * Functions in the database, for what SQLite has and PostgreSQL lacks; `dialect.ts` calls them. They are
 * created again at each start, so that they are those of this version. The items of lists and members of
 * objects have the values that `json_each` of SQLite returns, as text.
 */
export const FUNCTIONS: readonly string[] = [
  `CREATE OR REPLACE FUNCTION svc_one(rows bigint) RETURNS void LANGUAGE plpgsql AS $svc$
BEGIN
  IF rows <> 1 THEN RAISE EXCEPTION 'a change of one record met %', rows; END IF;
END $svc$`,
  `CREATE OR REPLACE FUNCTION svc_is_json(content text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $svc$
BEGIN
  IF content IS NULL THEN RETURN NULL; END IF;
  PERFORM content::json;
  RETURN true;
EXCEPTION WHEN others THEN
  RETURN false;
END $svc$`,
  `CREATE OR REPLACE FUNCTION svc_json_type(content json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE json_typeof(content)
    WHEN 'string' THEN 'text'
    WHEN 'boolean' THEN btrim(content::text, E' \\t\\r\\n')
    WHEN 'number' THEN CASE WHEN content::text ~ '[.eE]' THEN 'real' ELSE 'integer' END
    ELSE json_typeof(content) END
$svc$`,
  `CREATE OR REPLACE FUNCTION svc_json_value(content json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE json_typeof(content)
    WHEN 'boolean' THEN CASE WHEN content::text ~ 'true' THEN '1' ELSE '0' END
    ELSE content #>> '{}' END
$svc$`,
  `CREATE OR REPLACE FUNCTION svc_json_items(content text) RETURNS TABLE ("key" bigint, "value" text, "type" text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT item.place - 1, svc_json_value(item.content), svc_json_type(item.content)
  FROM json_array_elements(CASE json_typeof(content::json) WHEN 'array' THEN content::json ELSE '[]'::json END)
    WITH ORDINALITY AS item(content, place)
$svc$`,
  `CREATE OR REPLACE FUNCTION svc_json_members(content text) RETURNS TABLE ("key" text, "value" text, "type" text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT member.name, svc_json_value(member.content), svc_json_type(member.content)
  FROM json_each(CASE json_typeof(content::json) WHEN 'object' THEN content::json ELSE '{}'::json END)
    AS member(name, content)
$svc$`,
  // The number that a text is, also one that is beyond all numbers of 8 bytes.
  `CREATE OR REPLACE FUNCTION svc_real(content text) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $svc$
BEGIN
  RETURN content::double precision;
EXCEPTION WHEN numeric_value_out_of_range THEN
  RETURN CASE WHEN content ~* 'e-|^\\s*[+-]?0*\\.' THEN 0.0 WHEN content ~ '^\\s*-' THEN float8 '-Infinity' ELSE float8 'Infinity' END;
END $svc$`,
  // Halves away from 0: a cast to numeric would first round to 15 digits, one to bigint halves to even.
  `CREATE OR REPLACE FUNCTION svc_rounded(content double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT (trunc(content) + trunc(2 * (content - trunc(content))))::bigint
$svc$`,
  // Any value as a text that sorts as SQLite does: numbers before texts; '' stays ''.
  `CREATE OR REPLACE FUNCTION svc_key(content double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT chr(1) || CASE WHEN content >= 0 THEN '1' || encode(float8send(content + 0), 'hex')
    ELSE '0' || translate(encode(float8send(content), 'hex'), '0123456789abcdef', 'fedcba9876543210') END
$svc$`,
  `CREATE OR REPLACE FUNCTION svc_key(content bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$ SELECT svc_key(content::double precision) $svc$`,
  `CREATE OR REPLACE FUNCTION svc_key(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE content WHEN '' THEN '' ELSE chr(2) || content END
$svc$`,
  `CREATE OR REPLACE FUNCTION svc_key(content json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE json_typeof(content)
    WHEN 'number' THEN svc_key(svc_real(content #>> '{}'))
    WHEN 'boolean' THEN svc_key(svc_json_value(content)::double precision)
    ELSE svc_key(svc_json_value(content)) END
$svc$`,
  // Sorts the empty text after numbers too.
  `CREATE OR REPLACE FUNCTION svc_order_key(key text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$ SELECT CASE key WHEN '' THEN chr(2) ELSE key END $svc$`,
  `CREATE OR REPLACE FUNCTION svc_number(content double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$ SELECT content $svc$`,
  `CREATE OR REPLACE FUNCTION svc_number(content text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE WHEN content ~ '^\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?\\s*$' THEN svc_real(content) END
$svc$`,
  `CREATE OR REPLACE FUNCTION svc_number(content json) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$ SELECT svc_number(svc_json_value(content)) $svc$`,
  // The key of a number for that of a text which is one, as a column of numbers takes it.
  `CREATE OR REPLACE FUNCTION svc_number_key(key text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE WHEN left(key, 1) = chr(2) THEN coalesce(svc_key(svc_number(substr(key, 2))), key) ELSE key END
$svc$`,
  `CREATE OR REPLACE FUNCTION svc_text(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$ SELECT content $svc$`,
  `CREATE OR REPLACE FUNCTION svc_text(content bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$ SELECT content::text $svc$`,
  `CREATE OR REPLACE FUNCTION svc_text(content integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$ SELECT content::text $svc$`,
  `CREATE OR REPLACE FUNCTION svc_text(content double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE WHEN content = 0 THEN '0.0'
    WHEN abs(content) < 1e-4 OR abs(content) >= 1e17 THEN regexp_replace(content::text, '^(-?[0-9])e', '\\1.0e')
    WHEN content = trunc(content) THEN content::text::numeric::bigint || '.0'
    ELSE content::text::numeric::text END
$svc$`,
  `CREATE OR REPLACE FUNCTION svc_text(content json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE svc_json_type(content) WHEN 'real' THEN svc_text(svc_real(content #>> '{}'))
    WHEN 'integer' THEN CASE WHEN (content #>> '{}')::numeric BETWEEN -9223372036854775808 AND 9223372036854775807
      THEN content #>> '{}' ELSE svc_text(svc_real(content #>> '{}')) END
    ELSE svc_json_value(content) END
$svc$`,
  // A path of SQLite such as \`$."detectors"[0]\`.
  `CREATE OR REPLACE FUNCTION svc_json_at(content text, path text) RETURNS json
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $svc$
DECLARE
  found json;
  step text[];
BEGIN
  IF content IS NULL OR path ~ '\\[[0-9]{10,}\\]' OR NOT svc_is_json(content) THEN RETURN NULL; END IF;
  found := content::json;
  FOR step IN SELECT regexp_matches(substr(path, 2), '\\.(?:"([^"]*)"|(\\w+))|\\[([0-9]{1,9})\\]|\\[#(-[0-9]+)\\]', 'g') LOOP
    IF step[4] IS NOT NULL AND json_typeof(found) = 'array' THEN found := found -> step[4]::int;
    ELSIF step[3] IS NOT NULL AND json_typeof(found) = 'array' THEN found := found -> step[3]::int;
    ELSIF json_typeof(found) = 'object' THEN found := found -> coalesce(step[1], step[2]);
    ELSE RETURN NULL;
    END IF;
  END LOOP;
  RETURN found;
END $svc$`,
  `CREATE OR REPLACE FUNCTION svc_json_without_key(content text, dropped text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $svc$
  SELECT CASE json_typeof(content::json) WHEN 'array' THEN (
    SELECT '[' || coalesce(string_agg(CASE json_typeof(item.content) WHEN 'object' THEN (
        SELECT '{' || coalesce(string_agg(to_json(member.name)::text || ':' || member.content::text, ','
            ORDER BY member.place), '') || '}'
        FROM json_each(item.content) WITH ORDINALITY AS member(name, content, place)
        WHERE member.name <> dropped)
      ELSE item.content::text END, ',' ORDER BY item.place), '') || ']'
    FROM json_array_elements(content::json) WITH ORDINALITY AS item(content, place))
  ELSE content END
$svc$`,
  // Times as they are stored, of which sums read thousands: a block with EXCEPTION takes 10 times as long.
  `CREATE OR REPLACE FUNCTION svc_time(content text) RETURNS timestamp
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $svc$
BEGIN
  IF content ~ '^(?!0000)\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01]) ([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$' THEN
    RETURN (left(content, 8) || '01 ' || substr(content, 12, 12))::timestamp + make_interval(days => substr(content, 9, 2)::int - 1);
  END IF;
  RETURN svc_any_time(content);
END $svc$`,
  // As in SQLite, 30 February is 2 March and 24:00 the next day, and no fraction of a second makes one more.
  `CREATE OR REPLACE FUNCTION svc_any_time(content text) RETURNS timestamp
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $svc$
DECLARE
  part text[] := regexp_match(content, '^(\\d{4}-(?:0[1-9]|1[0-2]))-(0[1-9]|[12]\\d|3[01])[\\sT]*'
    || '(?:([01]\\d|2[0-4]):([0-5]\\d)(?::([0-5]\\d)(\\.\\d+)?)?\\s*(?:[Zz]|([+-])(0\\d|1[0-4]):([0-5]\\d))?\\s*)?$');
BEGIN
  RETURN (part[1] || '-01')::timestamp + make_interval(days => part[2]::int - 1, hours => coalesce(part[3], '0')::int,
      mins => coalesce(part[4], '0')::int, secs => coalesce(part[5], '0')::int + round(least(0.999, ('0' || coalesce(part[6], ''))::numeric), 3)::float8)
    - coalesce((part[7] || part[8] || ':' || part[9])::interval, interval '0');
EXCEPTION WHEN others THEN
  RETURN NULL;
END $svc$`,
  `CREATE OR REPLACE FUNCTION svc_shifted(moment timestamp, modifier text) RETURNS timestamp
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $svc$
DECLARE
  part text[];
  whole int;
BEGIN
  part := regexp_match(lower(modifier), '^([+-]?[0-9]+(?:\\.[0-9]+)?) (second|minute|hour|day|month|year)s?$');
  IF part[2] IN ('month', 'year') THEN
    -- As in SQLite, 31 January and a month is 3 March, and the fraction of a month has 30 days.
    whole := trunc(part[1]::numeric);
    RETURN date_trunc('month', moment) + make_interval(months => whole * CASE part[2] WHEN 'year' THEN 12 ELSE 1 END)
      + (moment - date_trunc('month', moment))
      + (part[1]::numeric - whole) * CASE part[2] WHEN 'year' THEN interval '365 days' ELSE interval '30 days' END;
  END IF;
  IF part IS NOT NULL THEN RETURN moment + (part[1] || ' ' || part[2])::interval; END IF;
  part := regexp_match(lower(modifier), '^start of (day|month|year)$');
  IF part IS NOT NULL THEN RETURN date_trunc(part[1], moment); END IF;
  part := regexp_match(lower(modifier), '^weekday ([0-6])$');
  IF part IS NOT NULL THEN
    RETURN moment + ((part[1]::int - extract(dow FROM moment)::int + 7) % 7 || ' days')::interval;
  END IF;
  RETURN NULL;
EXCEPTION WHEN others THEN
  RETURN NULL;
END $svc$`,
  `CREATE OR REPLACE FUNCTION svc_formatted(format text, content text, VARIADIC modifiers text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $svc$
DECLARE
  moment timestamp := svc_time(content);
  modifier text;
  part text[];
  outcome text := '';
  days double precision;
BEGIN
  FOREACH modifier IN ARRAY modifiers LOOP moment := svc_shifted(moment, modifier); END LOOP;
  IF moment IS NULL OR moment >= '10000-01-01' THEN RETURN NULL; END IF;
  days := (round(extract(epoch FROM moment) * 1000) + 210866760000000)::float8 / 86400000;
  FOR part IN SELECT regexp_matches(format, '([^%]+)|%(.?)', 'g') LOOP
    outcome := outcome || CASE WHEN part[1] IS NOT NULL THEN part[1] ELSE CASE part[2]
      WHEN 'd' THEN to_char(moment, 'DD') WHEN 'e' THEN lpad(to_char(moment, 'FMDD'), 2)
      WHEN 'f' THEN to_char(moment, 'SS.MS') WHEN 'F' THEN to_char(moment, 'YYYY-MM-DD')
      WHEN 'H' THEN to_char(moment, 'HH24') WHEN 'I' THEN to_char(moment, 'HH12')
      -- Its 16 digits, of the exact value of a number of 8 bytes.
      WHEN 'J' THEN rtrim(rtrim(round(trunc(days)::numeric + (days - trunc(days))::numeric, 9)::text, '0'), '.')
      WHEN 'j' THEN to_char(moment, 'DDD') WHEN 'k' THEN lpad(to_char(moment, 'FMHH24'), 2)
      WHEN 'l' THEN lpad(to_char(moment, 'FMHH12'), 2)
      WHEN 'm' THEN to_char(moment, 'MM') WHEN 'M' THEN to_char(moment, 'MI')
      WHEN 'p' THEN to_char(moment, 'AM') WHEN 'P' THEN to_char(moment, 'am')
      WHEN 'R' THEN to_char(moment, 'HH24:MI') WHEN 'T' THEN to_char(moment, 'HH24:MI:SS')
      WHEN 's' THEN floor(extract(epoch FROM moment))::bigint::text
      WHEN 'S' THEN to_char(moment, 'SS') WHEN 'w' THEN extract(dow FROM moment)::text
      WHEN 'u' THEN extract(isodow FROM moment)::text WHEN 'V' THEN to_char(moment, 'IW')
      WHEN 'G' THEN to_char(moment, 'IYYY') WHEN 'g' THEN to_char(moment, 'IY')
      WHEN 'W' THEN lpad(((extract(doy FROM moment)::int + 6 - (extract(isodow FROM moment)::int - 1)) / 7)::text, 2, '0')
      WHEN 'U' THEN lpad(((extract(doy FROM moment)::int + 6 - extract(dow FROM moment)::int) / 7)::text, 2, '0')
      WHEN 'Y' THEN to_char(moment, 'YYYY') WHEN '%' THEN '%' END END;
  END LOOP;
  RETURN outcome;
END $svc$`,
]
