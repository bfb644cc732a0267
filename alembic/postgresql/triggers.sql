-- What the database does by itself. Names are those of SQLite's triggers.

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'integrity_constraint_violation';
END
$$;

-- The ledger, the audit trail and the record of calls.
CREATE TRIGGER ledger_is_not_changed BEFORE UPDATE ON ledger FOR EACH ROW
EXECUTE FUNCTION refuse('a row of the ledger is never changed');
CREATE TRIGGER ledger_is_not_deleted BEFORE DELETE ON ledger FOR EACH ROW
EXECUTE FUNCTION refuse('a row of the ledger is never deleted');
CREATE TRIGGER ledger_is_not_emptied BEFORE TRUNCATE ON ledger
EXECUTE FUNCTION refuse('a row of the ledger is never deleted');
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit FOR EACH ROW
EXECUTE FUNCTION refuse('a row of the audit trail is never changed');
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit FOR EACH ROW
EXECUTE FUNCTION refuse('a row of the audit trail is never deleted');
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit
EXECUTE FUNCTION refuse('a row of the audit trail is never deleted');
CREATE TRIGGER sent_call_is_not_changed BEFORE UPDATE ON sent_call FOR EACH ROW
EXECUTE FUNCTION refuse('a recorded call is never changed');
CREATE TRIGGER sent_call_is_not_emptied BEFORE TRUNCATE ON sent_call
EXECUTE FUNCTION refuse('a recorded call is never deleted');
CREATE TRIGGER sent_piece_is_not_changed BEFORE UPDATE ON sent_piece FOR EACH ROW
EXECUTE FUNCTION refuse('what was sent is never changed');
CREATE TRIGGER audit_note_is_not_changed BEFORE UPDATE ON audit_note FOR EACH ROW
EXECUTE FUNCTION refuse('a row of the audit trail is never changed');

CREATE FUNCTION refuse_unless_person_is_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.owner NOT IN (SELECT id FROM deleted_person) THEN
        RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER audit_note_is_not_deleted BEFORE DELETE ON audit_note FOR EACH ROW
EXECUTE FUNCTION refuse_unless_person_is_deleted('a row of the audit trail is never deleted');
CREATE TRIGGER sent_call_is_not_deleted BEFORE DELETE ON sent_call FOR EACH ROW
EXECUTE FUNCTION refuse_unless_person_is_deleted('a recorded call is never deleted');

CREATE FUNCTION refuse_unless_forgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM conversation WHERE id = OLD.conversation_id)
    AND NOT EXISTS (
        SELECT 1 FROM forgotten_piece WHERE conversation_id = OLD.conversation_id AND sha256 = OLD.sha256)
    AND EXISTS (
        SELECT 1 FROM sent_call WHERE conversation_id = OLD.conversation_id AND position(OLD.sha256 IN pieces) > 0)
    THEN
        RAISE EXCEPTION 'a piece that a recorded call has is never deleted, but with its words for good'
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER sent_piece_is_not_deleted BEFORE DELETE ON sent_piece FOR EACH ROW
EXECUTE FUNCTION refuse_unless_forgotten();

-- The numbers that entries of the audit trail ever had: also of those at the end that somebody deleted.
CREATE TABLE given_number (name text PRIMARY KEY, number bigint NOT NULL);
INSERT INTO given_number VALUES ('audit', 0);
CREATE FUNCTION note_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE given_number SET number = greatest(number, NEW.id) WHERE name = TG_TABLE_NAME;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_is_numbered AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION note_number();

-- Entries of the ledger are numbered without gaps, also when a transaction is rolled back.
CREATE FUNCTION number_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.rowid := coalesce((SELECT max(rowid) FROM ledger), 0) + 1;
    RETURN NEW;
END
$$;
CREATE TRIGGER ledger_is_numbered BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION number_entry();

-- The sums of the ledger, as `app/store/ledger/rollups.py` makes them again.
CREATE FUNCTION read_counter(counter bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN counter BETWEEN 0 AND 100000000 THEN counter END
$$;
CREATE FUNCTION sum_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_day text := substr(NEW.started_at, 1, 10);
    of_minute text := substr(NEW.started_at, 12, 5);
    of_agent text := coalesce(NEW.agent_id, '');
    told bigint[] := ARRAY[
        read_counter(NEW.input_tokens), read_counter(NEW.output_tokens), read_counter(NEW.cache_read_tokens),
        read_counter(NEW.cache_write_tokens), read_counter(NEW.cache_write_1h_tokens),
        read_counter(NEW.reasoning_tokens)];
    reported bigint[] := ARRAY[
        NEW.input_tokens, NEW.output_tokens, NEW.cache_read_tokens, NEW.cache_write_tokens,
        NEW.cache_write_1h_tokens, NEW.reasoning_tokens];
    prompt bigint := coalesce(told[1], 0) + coalesce(told[3], 0) + coalesce(told[4], 0) + coalesce(told[5], 0);
    of_size integer := (
        SELECT count(*) FROM unnest(
            ARRAY[32000, 100000, 128000, 199999, 200000, 256000, 272000, 512000, 524288]) AS step
        WHERE prompt > step);
    of_part integer := CASE WHEN starts_with(NEW.model, 'deepseek:') THEN (
        SELECT count(*) FROM unnest(ARRAY['00:30', '01:00', '04:00', '06:00', '10:00', '16:30']) AS mark
        WHERE of_minute >= mark) ELSE 0 END;
    is_cut boolean := CASE
        WHEN NEW.purpose = 'count' THEN false
        WHEN NEW.report_fault IS NOT NULL OR reported IS DISTINCT FROM told THEN true
        WHEN NEW.outcome = 'succeeded' THEN told[1] IS NULL
        ELSE told[1] IS NOT NULL OR NEW.outcome = 'canceled'
            OR coalesce(NEW.error_class, '') IN ('stream', 'canceled', 'interrupted', 'unknown') END;
BEGIN
    INSERT INTO usage_day AS kept (
        owner, day, model, purpose, agent_id, size, part, calls, cut, input_tokens, output_tokens, cache_read_tokens,
        cache_write_tokens, cache_write_1h_tokens, reasoning_tokens)
    VALUES (
        NEW.owner, of_day, NEW.model, NEW.purpose, of_agent, of_size, of_part, 1, is_cut::integer,
        coalesce(told[1], 0), coalesce(told[2], 0), coalesce(told[3], 0), coalesce(told[4], 0),
        coalesce(told[5], 0), coalesce(told[6], 0))
    ON CONFLICT (owner, day, model, purpose, agent_id, size, part) DO UPDATE SET
        calls = kept.calls + excluded.calls, cut = kept.cut + excluded.cut,
        input_tokens = kept.input_tokens + excluded.input_tokens,
        output_tokens = kept.output_tokens + excluded.output_tokens,
        cache_read_tokens = kept.cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = kept.cache_write_tokens + excluded.cache_write_tokens,
        cache_write_1h_tokens = kept.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
        reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens;
    INSERT INTO usage_account AS kept (
        owner, account_id, day, model, purpose, agent_id, size, part, calls, cut, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, reasoning_tokens)
    VALUES (
        NEW.owner, NEW.account_id, of_day, NEW.model, NEW.purpose, of_agent, of_size, of_part, 1, is_cut::integer,
        coalesce(told[1], 0), coalesce(told[2], 0), coalesce(told[3], 0), coalesce(told[4], 0),
        coalesce(told[5], 0), coalesce(told[6], 0))
    ON CONFLICT (owner, account_id, day, model, purpose, agent_id, size, part) DO UPDATE SET
        calls = kept.calls + excluded.calls, cut = kept.cut + excluded.cut,
        input_tokens = kept.input_tokens + excluded.input_tokens,
        output_tokens = kept.output_tokens + excluded.output_tokens,
        cache_read_tokens = kept.cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = kept.cache_write_tokens + excluded.cache_write_tokens,
        cache_write_1h_tokens = kept.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
        reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens;
    RETURN NULL;
END
$$;
CREATE TRIGGER ledger_is_summed AFTER INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION sum_ledger();

-- What can be searched, as `app/store/index/rows_search.py` says it for SQLite.
CREATE FUNCTION words_of(message_id text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(string_agg(
        CASE part ->> 'type'
            WHEN 'text' THEN part ->> 'text'
            WHEN 'text_file' THEN (part ->> 'name') || chr(10) || (part ->> 'text')
            WHEN 'file' THEN part ->> 'name' END,
        chr(10) ORDER BY number), '')
    FROM message, json_array_elements(
        CASE WHEN json_valid(message.parts) = 1 AND json_typeof(json_plain(message.parts)::json) = 'array'
        THEN json_plain(message.parts)::json ELSE '[]' END) WITH ORDINALITY AS every (part, number)
    WHERE message.id = message_id AND json_typeof(part) = 'object'
$$;
CREATE FUNCTION enter_words(entered text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO search_text (owner, conversation_id, pair_id, words)
    SELECT pair.owner, pair.conversation_id, pair.id, words_of(pair.request_id) || chr(10)
        || CASE WHEN pair.lifecycle IN ('sending', 'awaiting') THEN '' ELSE words_of(pair.reply_id) END
    FROM pair WHERE pair.id = entered AND pair.deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM message WHERE message.id = pair.request_id)
    AND (pair.reply_id IS NULL OR EXISTS (SELECT 1 FROM message WHERE message.id = pair.reply_id))
    ON CONFLICT (pair_id) DO UPDATE SET words = excluded.words
$$;
CREATE FUNCTION enter_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM enter_words(pair.id) FROM pair
    WHERE pair.id = NEW.pair_id AND NEW.id IN (pair.request_id, pair.reply_id)
    AND (TG_OP = 'INSERT' OR pair.lifecycle NOT IN ('sending', 'awaiting'));
    RETURN NULL;
END
$$;
CREATE TRIGGER message_is_searched AFTER INSERT ON message FOR EACH ROW WHEN (NEW.pair_id IS NOT NULL)
EXECUTE FUNCTION enter_message();
CREATE TRIGGER changed_message_is_searched AFTER UPDATE OF parts ON message FOR EACH ROW
WHEN (NEW.pair_id IS NOT NULL) EXECUTE FUNCTION enter_message();
CREATE FUNCTION enter_pair() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM enter_words(NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER changed_pair_is_searched AFTER UPDATE OF request_id, reply_id, lifecycle, deleted_at ON pair
FOR EACH ROW WHEN (NEW.deleted_at IS NULL AND (
    OLD.deleted_at IS NOT NULL OR OLD.request_id <> NEW.request_id OR OLD.reply_id IS DISTINCT FROM NEW.reply_id
    OR (OLD.lifecycle IN ('sending', 'awaiting')) <> (NEW.lifecycle IN ('sending', 'awaiting'))))
EXECUTE FUNCTION enter_pair();
CREATE FUNCTION leave_pair() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM search_text WHERE pair_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER deleted_pair_is_not_searched AFTER UPDATE OF deleted_at ON pair FOR EACH ROW
WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION leave_pair();
CREATE FUNCTION enter_title() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM search_text WHERE conversation_id = NEW.id AND pair_id IS NULL;
    INSERT INTO search_text (owner, conversation_id, words) SELECT NEW.owner, NEW.id, NEW.title WHERE NEW.title <> '';
    RETURN NULL;
END
$$;
CREATE TRIGGER title_is_searched AFTER INSERT ON conversation FOR EACH ROW WHEN (NEW.title <> '')
EXECUTE FUNCTION enter_title();
CREATE TRIGGER changed_title_is_searched AFTER UPDATE OF title ON conversation FOR EACH ROW
WHEN (OLD.title <> NEW.title) EXECUTE FUNCTION enter_title();
