-- The tables of revision 0072. Later steps change them.

CREATE TABLE agent (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    icon text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL,
    model text COLLATE "C",
    system_prompt text COLLATE "C" NOT NULL,
    parameters text COLLATE "C" NOT NULL,
    server_ids text COLLATE "C",
    allowed_tools text COLLATE "C",
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    shared_at timestamptz,
    CONSTRAINT pk_agent PRIMARY KEY (id)
);
CREATE INDEX ix_agent_owner ON agent (owner);

CREATE TABLE api_token (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    scopes text COLLATE "C" NOT NULL,
    token_hash text COLLATE "C" NOT NULL,
    hint text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    used_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT pk_api_token PRIMARY KEY (id),
    CONSTRAINT uq_api_token_token_hash UNIQUE (token_hash)
);
CREATE INDEX ix_api_token_owner ON api_token (owner);

CREATE TABLE applied_filter (
    owner text COLLATE "C" NOT NULL,
    filter text COLLATE "C" NOT NULL,
    applied_at timestamptz NOT NULL,
    CONSTRAINT pk_applied_filter PRIMARY KEY (owner, filter)
);

CREATE TABLE attachment (
    owner text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    media_type text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    created_at timestamptz NOT NULL,
    data bytea NOT NULL,
    CONSTRAINT pk_attachment PRIMARY KEY (owner, id)
);

CREATE TABLE audit (
    id bigint NOT NULL,
    at timestamptz NOT NULL,
    person text COLLATE "C" NOT NULL,
    credential text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C",
    data text COLLATE "C" NOT NULL,
    note_hash text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    CONSTRAINT pk_audit PRIMARY KEY (id)
);
CREATE INDEX ix_audit_action_id ON audit (action, id);
CREATE INDEX ix_audit_person_id ON audit (person, id);
CREATE INDEX ix_audit_subject_id ON audit (subject, id);

CREATE TABLE audit_note (
    entry_id bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    salt bytea NOT NULL,
    data text COLLATE "C" NOT NULL,
    CONSTRAINT pk_audit_note PRIMARY KEY (entry_id)
);
CREATE INDEX ix_audit_note_owner ON audit_note (owner);

CREATE TABLE budget (
    owner text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,
    amount text COLLATE "C" NOT NULL,
    warn_at text COLLATE "C" NOT NULL,
    stops boolean NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT pk_budget PRIMARY KEY (owner, scope, subject, period)
);

CREATE TABLE conversation (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    title text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    agent_id text COLLATE "C",
    model text COLLATE "C",
    system_prompt text COLLATE "C" NOT NULL,
    filter text COLLATE "C" NOT NULL,
    tool_mode text COLLATE "C" NOT NULL,
    parent_id text COLLATE "C",
    trigger_message_id text COLLATE "C",
    temporary boolean NOT NULL,
    revision bigint NOT NULL,
    summary text COLLATE "C",
    summary_position bigint,
    fork_pair_id text COLLATE "C",
    titled_by_model boolean DEFAULT false NOT NULL,
    ticked_tools text COLLATE "C" DEFAULT '[]' NOT NULL,
    parameters text COLLATE "C" DEFAULT '{}' NOT NULL,
    retry_policy text COLLATE "C" DEFAULT 'exponential' NOT NULL,
    deleted_at timestamptz,
    pinned boolean DEFAULT false NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    folder_id text COLLATE "C",
    unread boolean DEFAULT false NOT NULL,
    imported_from text COLLATE "C",
    imported_at timestamptz,
    CONSTRAINT pk_conversation PRIMARY KEY (id)
);
CREATE INDEX ix_conversation_archive ON conversation (owner, updated_at, id) WHERE archived IS true;
CREATE INDEX ix_conversation_imported ON conversation (owner, updated_at, id) WHERE imported_from IS NOT NULL;
CREATE INDEX ix_conversation_owner_archived_folder_id_pinned_updated_at_id ON conversation (owner, archived, folder_id, pinned, updated_at, id);
CREATE INDEX ix_conversation_owner_parent_id ON conversation (owner, parent_id);
CREATE INDEX ix_conversation_owner_updated_at_id ON conversation (owner, updated_at, id);
CREATE INDEX ix_conversation_pinned ON conversation (owner, updated_at, id) WHERE pinned IS true;
CREATE INDEX ix_conversation_trash ON conversation (owner, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX ix_conversation_unread ON conversation (owner, updated_at, id) WHERE unread IS true;

CREATE TABLE deleted_person (
    id text COLLATE "C" NOT NULL,
    deleted_at timestamptz NOT NULL,
    CONSTRAINT pk_deleted_person PRIMARY KEY (id)
);

CREATE TABLE folder (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_folder PRIMARY KEY (id)
);
CREATE INDEX ix_folder_owner ON folder (owner);

CREATE TABLE ledger (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" DEFAULT '' NOT NULL,
    agent_id text COLLATE "C",
    pair_id text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    attempt bigint NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    error_class text COLLATE "C",
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    input_tokens bigint,
    output_tokens bigint,
    cache_read_tokens bigint,
    cache_write_tokens bigint,
    cache_write_1h_tokens bigint,
    reasoning_tokens bigint,
    counted_text bigint,
    counted_messages bigint,
    estimated_tokens bigint,
    sent_characters bigint,
    sent_bytes bigint,
    report_fault text COLLATE "C",
    rowid bigint NOT NULL CONSTRAINT uq_ledger_rowid UNIQUE,
    CONSTRAINT pk_ledger PRIMARY KEY (id),
    CONSTRAINT uq_ledger_run_id_attempt UNIQUE (run_id, attempt)
);
CREATE INDEX ix_ledger_account_id ON ledger (account_id);
CREATE INDEX ix_ledger_conversation_id ON ledger (conversation_id);
CREATE INDEX ix_ledger_owner_model_started_at ON ledger (owner, model, started_at);
CREATE INDEX ix_ledger_owner_started_at ON ledger (owner, started_at);

CREATE TABLE mcp_server (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    way text COLLATE "C" NOT NULL,
    enabled boolean NOT NULL,
    timeout double precision NOT NULL,
    secret_names text COLLATE "C" NOT NULL,
    sealed_secrets bytea,
    sealed_tokens bytea,
    known text COLLATE "C",
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT pk_mcp_server PRIMARY KEY (id),
    CONSTRAINT uq_mcp_server_owner_name UNIQUE (owner, name)
);

CREATE TABLE permission_rule (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    server_id text COLLATE "C" NOT NULL,
    server_name text COLLATE "C" NOT NULL,
    tool_name text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    arguments text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    agent_id text COLLATE "C",
    agent text COLLATE "C" DEFAULT '' NOT NULL,
    CONSTRAINT pk_permission_rule PRIMARY KEY (id)
);
CREATE INDEX ix_permission_rule_owner ON permission_rule (owner);

CREATE TABLE person (
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL,
    password_hash text COLLATE "C" NOT NULL,
    disabled boolean NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_person PRIMARY KEY (id),
    CONSTRAINT uq_person_email UNIQUE (email)
);

CREATE TABLE person_budget (
    owner text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,
    amount text COLLATE "C" NOT NULL,
    warn_at text COLLATE "C" NOT NULL,
    stops boolean NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT pk_person_budget PRIMARY KEY (owner, period)
);

CREATE TABLE preference (
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT pk_preference PRIMARY KEY (owner, name)
);

CREATE TABLE price (
    owner text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    since text COLLATE "C" NOT NULL,
    input text COLLATE "C",
    output text COLLATE "C",
    cache_read text COLLATE "C",
    cache_write text COLLATE "C",
    cache_write_1h text COLLATE "C",
    CONSTRAINT pk_price PRIMARY KEY (owner, model, since)
);

CREATE TABLE prompt (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    folder text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    shared_at timestamptz,
    CONSTRAINT pk_prompt PRIMARY KEY (id)
);
CREATE INDEX ix_prompt_owner ON prompt (owner);

CREATE TABLE provider_setting (
    owner text COLLATE "C" NOT NULL,
    provider text COLLATE "C" NOT NULL,
    base_url text COLLATE "C",
    sealed_key bytea,
    updated_at timestamptz NOT NULL,
    CONSTRAINT pk_provider_setting PRIMARY KEY (owner, provider)
);

CREATE TABLE role_budget (
    role text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,
    amount text COLLATE "C" NOT NULL,
    warn_at text COLLATE "C" NOT NULL,
    stops boolean NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT pk_role_budget PRIMARY KEY (role, period)
);

CREATE TABLE role_models (
    role text COLLATE "C" NOT NULL,
    models text COLLATE "C" NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT pk_role_models PRIMARY KEY (role)
);

CREATE TABLE saved_filter (
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    filter text COLLATE "C" NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT pk_saved_filter PRIMARY KEY (owner, name)
);

CREATE TABLE sent_call (
    run_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    pair_id text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    sent_at timestamptz NOT NULL,
    body_sha256 text COLLATE "C" NOT NULL,
    body_bytes bigint NOT NULL,
    pieces bytea NOT NULL,
    CONSTRAINT pk_sent_call PRIMARY KEY (run_id, number)
);
CREATE INDEX ix_sent_call_conversation_id ON sent_call (conversation_id, sent_at);
CREATE INDEX ix_sent_call_pair_id ON sent_call (pair_id);

CREATE TABLE toolset (
    owner text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    tools text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_toolset PRIMARY KEY (owner, id)
);

CREATE TABLE topic (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    parent_id text COLLATE "C",
    place bigint NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz NOT NULL,
    CONSTRAINT pk_topic PRIMARY KEY (id),
    CONSTRAINT fk_topic_parent_id FOREIGN KEY (parent_id) REFERENCES topic (id) ON DELETE RESTRICT
);
CREATE INDEX ix_topic_owner_parent_id ON topic (owner, parent_id);

CREATE TABLE upload (
    owner text COLLATE "C" NOT NULL,
    attachment_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    width bigint NOT NULL,
    height bigint NOT NULL,
    full_width bigint NOT NULL,
    full_height bigint NOT NULL,
    pages bigint NOT NULL,
    textless bigint NOT NULL,
    characters bigint NOT NULL,
    other_id text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_upload PRIMARY KEY (owner, attachment_id)
);

CREATE TABLE usage_account (
    calls bigint NOT NULL,
    cut bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    cache_write_1h_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    day text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    part bigint NOT NULL,
    CONSTRAINT pk_usage_account PRIMARY KEY (owner, account_id, day, model, purpose, agent_id, size, part)
);

CREATE TABLE usage_day (
    calls bigint NOT NULL,
    cut bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    cache_write_1h_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    day text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    part bigint NOT NULL,
    CONSTRAINT pk_usage_day PRIMARY KEY (owner, day, model, purpose, agent_id, size, part)
);

CREATE TABLE attachment_use (
    conversation_id text COLLATE "C" NOT NULL,
    attachment_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    CONSTRAINT pk_attachment_use PRIMARY KEY (conversation_id, attachment_id),
    CONSTRAINT fk_attachment_use_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
CREATE INDEX ix_attachment_use_owner_attachment_id ON attachment_use (owner, attachment_id);

CREATE TABLE comparison (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    topic text COLLATE "C",
    parameters text COLLATE "C" NOT NULL,
    runs text COLLATE "C" NOT NULL,
    pair_id text COLLATE "C",
    request_id text COLLATE "C",
    gone text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    closed_at timestamptz,
    CONSTRAINT pk_comparison PRIMARY KEY (id),
    CONSTRAINT fk_comparison_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
CREATE INDEX ix_comparison_conversation_id ON comparison (conversation_id);
CREATE UNIQUE INDEX uq_comparison_open ON comparison (conversation_id) WHERE closed_at IS NULL;

CREATE TABLE conversation_grant (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    person_id text COLLATE "C" NOT NULL,
    access text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_conversation_grant PRIMARY KEY (id),
    CONSTRAINT fk_conversation_grant_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE,
    CONSTRAINT fk_conversation_grant_person_id FOREIGN KEY (person_id) REFERENCES person (id) ON DELETE CASCADE,
    CONSTRAINT uq_conversation_grant_conversation_id_person_id UNIQUE (conversation_id, person_id)
);
CREATE INDEX ix_conversation_grant_owner ON conversation_grant (owner);
CREATE INDEX ix_conversation_grant_person_id ON conversation_grant (person_id);

CREATE TABLE conversation_rule (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    server_id text COLLATE "C" NOT NULL,
    server_name text COLLATE "C" NOT NULL,
    tool_name text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    arguments text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    CONSTRAINT pk_conversation_rule PRIMARY KEY (id),
    CONSTRAINT fk_conversation_rule_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
CREATE INDEX ix_conversation_rule_conversation_id ON conversation_rule (conversation_id);

CREATE TABLE forgotten_piece (
    conversation_id text COLLATE "C" NOT NULL,
    sha256 bytea NOT NULL,
    CONSTRAINT pk_forgotten_piece PRIMARY KEY (conversation_id, sha256),
    CONSTRAINT fk_forgotten_piece_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);

CREATE TABLE idempotency_key (
    owner text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    pair_id text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    content_hash text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_idempotency_key PRIMARY KEY (owner, key),
    CONSTRAINT fk_idempotency_key_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
CREATE INDEX ix_idempotency_key_conversation_id ON idempotency_key (conversation_id);

CREATE TABLE imported (
    owner text COLLATE "C" NOT NULL,
    format text COLLATE "C" NOT NULL,
    foreign_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    import_id text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    imported_at timestamptz NOT NULL,
    CONSTRAINT pk_imported PRIMARY KEY (owner, format, foreign_id),
    CONSTRAINT fk_imported_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
CREATE INDEX ix_imported_conversation_id ON imported (conversation_id);
CREATE INDEX ix_imported_import_id ON imported (import_id);

CREATE TABLE invitation (
    id text COLLATE "C" NOT NULL,
    token_hash text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL,
    person_id text COLLATE "C",
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT pk_invitation PRIMARY KEY (id),
    CONSTRAINT fk_invitation_person_id FOREIGN KEY (person_id) REFERENCES person (id) ON DELETE CASCADE,
    CONSTRAINT uq_invitation_token_hash UNIQUE (token_hash)
);
CREATE INDEX ix_invitation_person_id ON invitation (person_id);

CREATE TABLE keep_warm (
    conversation_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    look text COLLATE "C" NOT NULL,
    until timestamptz NOT NULL,
    started_at timestamptz NOT NULL,
    made_id text COLLATE "C",
    ended_at timestamptz,
    words text COLLATE "C",
    CONSTRAINT pk_keep_warm PRIMARY KEY (conversation_id),
    CONSTRAINT fk_keep_warm_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);

CREATE TABLE linked_identity (
    issuer text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    person_id text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    linked_at timestamptz NOT NULL,
    CONSTRAINT pk_linked_identity PRIMARY KEY (issuer, subject),
    CONSTRAINT fk_linked_identity_person_id FOREIGN KEY (person_id) REFERENCES person (id) ON DELETE CASCADE
);
CREATE INDEX ix_linked_identity_person_id ON linked_identity (person_id);

CREATE TABLE node (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    after_position bigint NOT NULL,
    role text COLLATE "C" NOT NULL,
    data text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_node PRIMARY KEY (id),
    CONSTRAINT fk_node_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
CREATE INDEX ix_node_conversation_id_after_position ON node (conversation_id, after_position);

CREATE TABLE pair (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    revision bigint NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    reply_id text COLLATE "C",
    run_id text COLLATE "C",
    model text COLLATE "C" NOT NULL,
    parameters text COLLATE "C" NOT NULL,
    lifecycle text COLLATE "C" NOT NULL,
    agent_id text COLLATE "C",
    agent text COLLATE "C",
    topic text COLLATE "C",
    stars bigint NOT NULL,
    flagged boolean NOT NULL,
    mark text COLLATE "C",
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    version bigint DEFAULT 1 NOT NULL,
    versions bigint DEFAULT 1 NOT NULL,
    CONSTRAINT pk_pair PRIMARY KEY (id),
    CONSTRAINT fk_pair_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE,
    CONSTRAINT uq_pair_conversation_id_position UNIQUE (conversation_id, position)
);
CREATE INDEX ix_pair_conversation_id_revision ON pair (conversation_id, revision);
CREATE INDEX ix_pair_failed ON pair (owner, conversation_id, position) WHERE lifecycle = 'error' AND deleted_at IS NULL;
CREATE INDEX ix_pair_owner_created_at_id ON pair (owner, created_at, id);
CREATE INDEX ix_pair_topic ON pair (topic);
CREATE INDEX ix_pair_trash ON pair (owner, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX uq_pair_running ON pair (conversation_id) WHERE lifecycle IN ('sending', 'awaiting');

CREATE TABLE permission_request (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    shown_in text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    pair_id text COLLATE "C" NOT NULL,
    tool_call_id text COLLATE "C" NOT NULL,
    server_id text COLLATE "C" NOT NULL,
    server_name text COLLATE "C" NOT NULL,
    tool_name text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL,
    input_schema_json text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    input_json text COLLATE "C" NOT NULL,
    asked_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    standing text COLLATE "C" NOT NULL,
    run_json text COLLATE "C",
    scope text COLLATE "C",
    rule_id text COLLATE "C",
    ending text COLLATE "C",
    settled_at timestamptz,
    agent_id text COLLATE "C",
    agent text COLLATE "C" DEFAULT '' NOT NULL,
    CONSTRAINT pk_permission_request PRIMARY KEY (id),
    CONSTRAINT fk_permission_request_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
CREATE INDEX ix_permission_request_conversation_id ON permission_request (conversation_id);
CREATE INDEX ix_permission_request_pending ON permission_request (owner, shown_in) WHERE standing = 'pending';
CREATE INDEX ix_permission_request_run_id ON permission_request (run_id);

CREATE TABLE queue_hold (
    conversation_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    held_at timestamptz NOT NULL,
    CONSTRAINT pk_queue_hold PRIMARY KEY (conversation_id),
    CONSTRAINT fk_queue_hold_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);

CREATE TABLE queued (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    version bigint NOT NULL,
    text text COLLATE "C" NOT NULL,
    filter text COLLATE "C" NOT NULL,
    model text COLLATE "C",
    agent_id text COLLATE "C",
    topic text COLLATE "C",
    zone text COLLATE "C" NOT NULL,
    parameters text COLLATE "C" NOT NULL,
    over_budget text COLLATE "C",
    created_at timestamptz NOT NULL,
    attached text COLLATE "C" DEFAULT '[]' NOT NULL,
    CONSTRAINT pk_queued PRIMARY KEY (id),
    CONSTRAINT fk_queued_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);
CREATE INDEX ix_queued_conversation_id ON queued (conversation_id);

CREATE TABLE recovery_code (
    code_hash text COLLATE "C" NOT NULL,
    person_id text COLLATE "C" NOT NULL,
    CONSTRAINT pk_recovery_code PRIMARY KEY (code_hash),
    CONSTRAINT fk_recovery_code_person_id FOREIGN KEY (person_id) REFERENCES person (id) ON DELETE CASCADE
);
CREATE INDEX ix_recovery_code_person_id ON recovery_code (person_id);

CREATE TABLE second_step (
    person_id text COLLATE "C" NOT NULL,
    sealed_secret bytea,
    last_step bigint NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_second_step PRIMARY KEY (person_id),
    CONSTRAINT fk_second_step_person_id FOREIGN KEY (person_id) REFERENCES person (id) ON DELETE CASCADE
);

CREATE TABLE sent_piece (
    conversation_id text COLLATE "C" NOT NULL,
    sha256 bytea NOT NULL,
    data bytea NOT NULL,
    CONSTRAINT pk_sent_piece PRIMARY KEY (conversation_id, sha256),
    CONSTRAINT fk_sent_piece_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE
);

CREATE TABLE session (
    id text COLLATE "C" NOT NULL,
    person_id text COLLATE "C" NOT NULL,
    token_hash text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz NOT NULL,
    agent text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    revoked_at timestamptz,
    proved_at timestamptz,
    CONSTRAINT pk_session PRIMARY KEY (id),
    CONSTRAINT fk_session_person_id FOREIGN KEY (person_id) REFERENCES person (id) ON DELETE CASCADE,
    CONSTRAINT uq_session_token_hash UNIQUE (token_hash)
);
CREATE INDEX ix_session_person_id ON session (person_id);

CREATE TABLE share (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    token_hash text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    choice text COLLATE "C" NOT NULL,
    pairs bigint NOT NULL,
    page bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    views bigint NOT NULL,
    CONSTRAINT pk_share PRIMARY KEY (id),
    CONSTRAINT fk_share_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE,
    CONSTRAINT uq_share_token_hash UNIQUE (token_hash)
);
CREATE INDEX ix_share_conversation_id ON share (conversation_id);
CREATE INDEX ix_share_owner ON share (owner);

CREATE TABLE sign_in_step (
    token_hash text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    person_id text COLLATE "C",
    sealed_data bytea,
    expires_at timestamptz NOT NULL,
    CONSTRAINT pk_sign_in_step PRIMARY KEY (token_hash),
    CONSTRAINT fk_sign_in_step_person_id FOREIGN KEY (person_id) REFERENCES person (id) ON DELETE CASCADE
);
CREATE INDEX ix_sign_in_step_expires_at ON sign_in_step (expires_at);
CREATE INDEX ix_sign_in_step_person_id ON sign_in_step (person_id);

CREATE TABLE message (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    pair_id text COLLATE "C",
    role text COLLATE "C" NOT NULL,
    parts text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_message PRIMARY KEY (id),
    CONSTRAINT fk_message_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE,
    CONSTRAINT fk_message_pair_id FOREIGN KEY (pair_id) REFERENCES pair (id) ON DELETE CASCADE
);
CREATE INDEX ix_message_conversation_id ON message (conversation_id);
CREATE INDEX ix_message_pair_id ON message (pair_id);

CREATE TABLE pair_size (
    pair_id text COLLATE "C" NOT NULL,
    vocabulary text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    reply_id text COLLATE "C",
    text bigint NOT NULL,
    messages bigint NOT NULL,
    thinking bigint NOT NULL,
    thinking_vendor text COLLATE "C",
    images text COLLATE "C" NOT NULL,
    CONSTRAINT pk_pair_size PRIMARY KEY (pair_id, vocabulary),
    CONSTRAINT fk_pair_size_pair_id FOREIGN KEY (pair_id) REFERENCES pair (id) ON DELETE CASCADE
);
CREATE INDEX ix_pair_size_conversation_id ON pair_size (conversation_id);

CREATE TABLE pair_source (
    pair_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    source_conversation_id text COLLATE "C" NOT NULL,
    source_pair_id text COLLATE "C" NOT NULL,
    source_version bigint NOT NULL,
    copied_at timestamptz NOT NULL,
    CONSTRAINT pk_pair_source PRIMARY KEY (pair_id),
    CONSTRAINT fk_pair_source_pair_id FOREIGN KEY (pair_id) REFERENCES pair (id) ON DELETE CASCADE
);

CREATE TABLE pair_text (
    pair_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    reply_id text COLLATE "C",
    attachment boolean NOT NULL,
    blank boolean NOT NULL,
    tools text COLLATE "C" NOT NULL,
    searched_text text COLLATE "C" NOT NULL,
    CONSTRAINT pk_pair_text PRIMARY KEY (pair_id),
    CONSTRAINT fk_pair_text_pair_id FOREIGN KEY (pair_id) REFERENCES pair (id) ON DELETE CASCADE
);
CREATE INDEX ix_pair_text_conversation_id ON pair_text (conversation_id);

CREATE TABLE run (
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    pair_id text COLLATE "C" NOT NULL,
    reply_id text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    request_hash text COLLATE "C" NOT NULL,
    process_id text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    attempt bigint NOT NULL,
    attempt_started_at timestamptz NOT NULL,
    retries text COLLATE "C" NOT NULL,
    usage text COLLATE "C",
    stop_reason text COLLATE "C",
    failure text COLLATE "C",
    started_at timestamptz NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    ended_at timestamptz,
    sent text COLLATE "C",
    replay_of text COLLATE "C",
    prelude text COLLATE "C",
    redacted text COLLATE "C",
    rounds text COLLATE "C" DEFAULT '[]' NOT NULL,
    purpose text COLLATE "C" DEFAULT 'reply' NOT NULL,
    CONSTRAINT pk_run PRIMARY KEY (id),
    CONSTRAINT fk_run_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE,
    CONSTRAINT fk_run_pair_id FOREIGN KEY (pair_id) REFERENCES pair (id) ON DELETE CASCADE
);
CREATE INDEX ix_run_conversation_id ON run (conversation_id);
CREATE INDEX ix_run_pair_id ON run (pair_id);
CREATE INDEX ix_run_replayable ON run (owner, request_hash) WHERE status = 'succeeded' AND replay_of IS NULL;
CREATE UNIQUE INDEX uq_run_running ON run (pair_id) WHERE status = 'running';

CREATE TABLE search_text (
    docid bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    pair_id text COLLATE "C",
    words text COLLATE "C" NOT NULL,
    vector tsvector GENERATED ALWAYS AS (search_vector(words)) STORED,
    CONSTRAINT pk_search_text PRIMARY KEY (docid),
    CONSTRAINT fk_search_text_conversation_id FOREIGN KEY (conversation_id) REFERENCES conversation (id) ON DELETE CASCADE,
    CONSTRAINT fk_search_text_pair_id FOREIGN KEY (pair_id) REFERENCES pair (id) ON DELETE CASCADE,
    CONSTRAINT uq_search_text_pair_id UNIQUE (pair_id)
);
CREATE INDEX ix_search_text_conversation_id_pair_id ON search_text (conversation_id, pair_id);
CREATE INDEX ix_search_text_vector ON search_text USING gin (vector);

CREATE TABLE snapshot (
    pair_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    content_hash text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    headers text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_snapshot PRIMARY KEY (pair_id),
    CONSTRAINT fk_snapshot_pair_id FOREIGN KEY (pair_id) REFERENCES pair (id) ON DELETE CASCADE
);

CREATE TABLE version (
    pair_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    reply_id text COLLATE "C",
    run_id text COLLATE "C",
    model text COLLATE "C" NOT NULL,
    parameters text COLLATE "C" NOT NULL,
    agent_id text COLLATE "C",
    agent text COLLATE "C",
    lifecycle text COLLATE "C",
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_version PRIMARY KEY (pair_id, number),
    CONSTRAINT fk_version_pair_id FOREIGN KEY (pair_id) REFERENCES pair (id) ON DELETE CASCADE
);

CREATE TABLE prompt_cache (
    run_id text COLLATE "C" NOT NULL,
    round bigint DEFAULT 1 NOT NULL,
    owner text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    cache_control_index bigint,
    marks text COLLATE "C" NOT NULL,
    predicted_place bigint,
    predicted_read_tokens bigint NOT NULL,
    predicted_exactly boolean NOT NULL,
    frozen boolean NOT NULL,
    tools_key bytea NOT NULL,
    system_key bytea NOT NULL,
    chain bytea NOT NULL,
    CONSTRAINT pk_prompt_cache PRIMARY KEY (run_id, round),
    CONSTRAINT fk_prompt_cache_run_id FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
);
CREATE INDEX ix_prompt_cache_owner_model_at ON prompt_cache (owner, model, at);

CREATE TABLE reply_journal (
    id bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    owner text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    growth text COLLATE "C" NOT NULL,
    CONSTRAINT pk_reply_journal PRIMARY KEY (id),
    CONSTRAINT fk_reply_journal_run_id FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
);

CREATE TABLE run_toolset (
    run_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    toolset_id text COLLATE "C" NOT NULL,
    CONSTRAINT pk_run_toolset PRIMARY KEY (run_id),
    CONSTRAINT fk_run_toolset_run_id FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
);

CREATE TABLE tool_call (
    run_id text COLLATE "C" NOT NULL,
    tool_call_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    server_id text COLLATE "C",
    server_name text COLLATE "C",
    tool_name text COLLATE "C",
    title text COLLATE "C",
    asked_json text COLLATE "C" NOT NULL,
    run_json text COLLATE "C",
    asked_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    is_error boolean NOT NULL,
    fault text COLLATE "C",
    structured_json text COLLATE "C",
    content text COLLATE "C",
    CONSTRAINT pk_tool_call PRIMARY KEY (run_id, tool_call_id),
    CONSTRAINT fk_tool_call_run_id FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
);
