-- The functions that queries call by the names that SQLite has for them, and those that triggers share.

-- A JSON text without escaped NUL characters, which PostgreSQL's texts cannot hold.
CREATE FUNCTION json_plain(stored text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN strpos(stored, '\u0000') = 0 THEN stored
    ELSE regexp_replace(stored, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') END
$$;

CREATE FUNCTION json_valid(stored text) RETURNS integer LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    checked json;
BEGIN
    checked := stored::json;
    RETURN 1;
EXCEPTION WHEN data_exception THEN
    RETURN 0;
END
$$;

CREATE FUNCTION json_array_length(stored text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN json_typeof(stored::json) = 'array' THEN pg_catalog.json_array_length(stored::json) ELSE 0 END
$$;

CREATE FUNCTION json_extract(stored text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT jsonb_path_query_first(json_plain(stored)::jsonb, ('strict ' || path)::jsonpath, '{}', true) #>> '{}'
$$;

CREATE FUNCTION json_number(stored text, path text) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN jsonb_typeof(found) = 'number' THEN (found #>> '{}')::numeric END
    FROM jsonb_path_query_first(json_plain(stored)::jsonb, ('strict ' || path)::jsonpath, '{}', true) AS found
$$;

-- The elements of an array. `value` is the text of a string, and the JSON of anything else.
CREATE FUNCTION json_each(stored text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT json_array_elements_text(CASE WHEN json_typeof(read) = 'array' THEN read ELSE '[]' END)
    FROM CAST(json_plain(stored) AS json) AS read
$$;

CREATE FUNCTION instr(searched text, piece text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT strpos(searched, piece)
$$;

-- Whether the pieces, a JSON array, occur in the text, each after the one before (`domain/pattern.py`).
CREATE FUNCTION in_order(searched text, pieces text) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    piece text;
    place integer;
BEGIN
    FOR piece IN SELECT value FROM json_each(pieces) LOOP
        place := strpos(searched, piece);
        IF place = 0 THEN
            RETURN 0;
        END IF;
        searched := substr(searched, place + length(piece));
    END LOOP;
    RETURN 1;
END
$$;

-- A column of integers holds nothing else here; SQLite's may.
CREATE FUNCTION typeof(value bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value IS NULL THEN 'null' ELSE 'integer' END
$$;

-- A part of the text that SQLite stores for a time.
CREATE FUNCTION substr(moment timestamptz, place integer, length integer) RETURNS text LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT substr(to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), place, length)
$$;

-- A text as search compares it: lower case, no accents, words between single blanks.
CREATE FUNCTION search_plain(words text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ' ' || regexp_replace(
        regexp_replace(normalize(lower(words COLLATE "default"), NFD), U&'[\0300-\036F]+', '', 'g'),
        U&'[\0001-/:-@\005B-`{-\00A9\00AB-\00B1\00B4\00B6-\00B8\00BB\00BF\00D7\00F7\2000-\206F\20A0-\20CF\2100-\245F\2500-\2BFF\3000-\3004\3008-\3020\FE10-\FE6F\FF01-\FF0F]+', ' ', 'g') || ' '
$$;

-- The words of a text. A tsvector holds a megabyte of different words: of a text that has more, the first are found.
CREATE FUNCTION search_vector(words text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN to_tsvector('pg_catalog.simple', search_plain(words));
EXCEPTION WHEN program_limit_exceeded THEN
    RETURN to_tsvector('pg_catalog.simple', search_plain(left(words, 200000)));
END
$$;
