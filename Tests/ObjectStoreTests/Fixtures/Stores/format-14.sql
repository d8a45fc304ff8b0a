PRAGMA user_version = 14;
CREATE TABLE _answer (
    id INTEGER PRIMARY KEY, question TEXT NOT NULL, credential TEXT NOT NULL, variant TEXT NOT NULL,
    model TEXT NOT NULL, url TEXT NOT NULL, vary TEXT NOT NULL, etag TEXT, modified TEXT,
    checked REAL NOT NULL, age INTEGER NOT NULL, lifetime INTEGER,
    stale_if_error INTEGER, stale_while_revalidate INTEGER,
    must_revalidate INTEGER NOT NULL, detail BLOB NOT NULL, roots BLOB NOT NULL,
    element_count INTEGER NOT NULL, is_list INTEGER NOT NULL, object_count INTEGER NOT NULL,
    vouched BLOB NOT NULL, checked_change INTEGER NOT NULL) STRICT;
CREATE TABLE _answer_change (
    id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE _last_row (
    model TEXT PRIMARY KEY NOT NULL, row INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE _lease (
    name TEXT PRIMARY KEY NOT NULL, holder TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE _listing (
    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, scope TEXT NOT NULL,
    begun REAL NOT NULL, listed REAL NOT NULL, whole REAL, pages INTEGER NOT NULL, objects INTEGER NOT NULL,
    total INTEGER, bookmark BLOB NOT NULL, token TEXT,
    PRIMARY KEY (source, source_id, relationship, scope)) STRICT, WITHOUT ROWID;
CREATE TABLE _migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE _outbox (
    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, member INTEGER NOT NULL,
    number INTEGER NOT NULL, edition INTEGER NOT NULL DEFAULT 0, action INTEGER NOT NULL,
    account TEXT NOT NULL, since REAL NOT NULL, key TEXT, rejection TEXT, sent TEXT, object TEXT,
    PRIMARY KEY (source, source_id, relationship, member)) STRICT, WITHOUT ROWID;
CREATE TABLE _paged_list (
    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, is_whole INTEGER NOT NULL,
    PRIMARY KEY (source, source_id, relationship)) STRICT, WITHOUT ROWID;
CREATE TABLE _pair (
    list TEXT NOT NULL, source_id INTEGER NOT NULL, target_id INTEGER NOT NULL,
    is_member INTEGER NOT NULL, base INTEGER, stamp INTEGER NOT NULL, sides INTEGER NOT NULL,
    PRIMARY KEY (list, source_id, target_id)) STRICT, WITHOUT ROWID;
CREATE TABLE _pending_link (
    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL,
    target TEXT NOT NULL, target_identity TEXT NOT NULL, position INTEGER,
    PRIMARY KEY (target, target_identity, source, source_id, relationship)) STRICT, WITHOUT ROWID;
INSERT INTO "_pending_link" VALUES ('album', 1, 'similar', 'album', '99', 1);
INSERT INTO "_pending_link" VALUES ('album', 2, 'artist', 'artist', 'bob', NULL);
CREATE TABLE _schema (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "_schema" VALUES ('models', '{"statements":["CREATE TABLE \"album\" (\n    _id INTEGER PRIMARY KEY NOT NULL,\n    \"identifier\" INTEGER,\n    \"title\" TEXT,\n    \"state\" TEXT,\n    \"is_public\" INTEGER,\n    \"small\" INTEGER,\n    \"large\" INTEGER,\n    \"rating\" REAL,\n    \"price\" TEXT,\n    \"released_at\" REAL,\n    \"cover\" BLOB,\n    \"homepage\" TEXT,\n    \"token\" TEXT,\n    \"place\" TEXT,\n    \"words\" TEXT,\n    \"artist_id\" INTEGER REFERENCES \"artist\"(_id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,\n    \"_said\" INTEGER,\n    \"_said_lists\" INTEGER,\n    \"_artist_position\" INTEGER,\n    _unsent TEXT) STRICT","CREATE UNIQUE INDEX \"album_identity\" ON \"album\"(\"identifier\")","CREATE INDEX \"album_artist_id\" ON \"album\"(\"artist_id\")","CREATE INDEX \"_unsent_album\" ON \"album\"(_id) WHERE _unsent IS NOT NULL","CREATE TABLE \"artist\" (\n    _id INTEGER PRIMARY KEY NOT NULL,\n    \"identifier\" TEXT,\n    \"_said\" INTEGER,\n    \"_said_lists\" INTEGER,\n    _unsent TEXT) STRICT","CREATE UNIQUE INDEX \"artist_identity\" ON \"artist\"(\"identifier\")","CREATE INDEX \"_unsent_artist\" ON \"artist\"(_id) WHERE _unsent IS NOT NULL","CREATE TABLE \"track\" (\n    _id INTEGER PRIMARY KEY NOT NULL,\n    \"number\" INTEGER,\n    \"title\" TEXT,\n    \"album_id\" INTEGER REFERENCES \"album\"(_id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,\n    \"_said\" INTEGER,\n    \"_album_position\" INTEGER,\n    _unsent TEXT) STRICT","CREATE UNIQUE INDEX \"track_identity\" ON \"track\"(\"album_id\", \"number\")","CREATE INDEX \"_unsent_track\" ON \"track\"(_id) WHERE _unsent IS NOT NULL","CREATE TABLE \"genre\" (\n    _id INTEGER PRIMARY KEY NOT NULL,\n    \"name\" TEXT,\n    \"_said\" INTEGER,\n    \"_said_lists\" INTEGER,\n    _unsent TEXT) STRICT","CREATE UNIQUE INDEX \"genre_identity\" ON \"genre\"(\"name\")","CREATE INDEX \"_unsent_genre\" ON \"genre\"(_id) WHERE _unsent IS NOT NULL","CREATE TABLE \"album_genres\" (\n    source_id INTEGER NOT NULL REFERENCES \"album\"(_id) ON DELETE CASCADE\n        DEFERRABLE INITIALLY DEFERRED,\n    target_id INTEGER NOT NULL REFERENCES \"genre\"(_id) ON DELETE CASCADE\n        DEFERRABLE INITIALLY DEFERRED,\n    position INTEGER, inverse_position INTEGER,\n    PRIMARY KEY (source_id, target_id)) STRICT, WITHOUT ROWID","CREATE INDEX \"album_genres_target\" ON \"album_genres\"(target_id)","CREATE TABLE \"album_similar\" (\n    source_id INTEGER NOT NULL REFERENCES \"album\"(_id) ON DELETE CASCADE\n        DEFERRABLE INITIALLY DEFERRED,\n    target_id INTEGER NOT NULL REFERENCES \"album\"(_id) ON DELETE CASCADE\n        DEFERRABLE INITIALLY DEFERRED,\n    position INTEGER,\n    PRIMARY KEY (source_id, target_id)) STRICT, WITHOUT ROWID","CREATE INDEX \"album_similar_target\" ON \"album_similar\"(target_id)","CREATE TABLE IF NOT EXISTS _pending_link (\n    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL,\n    target TEXT NOT NULL, target_identity TEXT NOT NULL, position INTEGER,\n    PRIMARY KEY (target, target_identity, source, source_id, relationship)) STRICT, WITHOUT ROWID","CREATE INDEX IF NOT EXISTS _pending_link_source ON _pending_link(source, source_id)","CREATE TABLE IF NOT EXISTS _pair (\n    list TEXT NOT NULL, source_id INTEGER NOT NULL, target_id INTEGER NOT NULL,\n    is_member INTEGER NOT NULL, base INTEGER, stamp INTEGER NOT NULL, sides INTEGER NOT NULL,\n    PRIMARY KEY (list, source_id, target_id)) STRICT, WITHOUT ROWID","CREATE INDEX IF NOT EXISTS _pair_target ON _pair(list, target_id)","CREATE TABLE IF NOT EXISTS _send (\n    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL,\n    holder TEXT NOT NULL, lists TEXT,\n    PRIMARY KEY (source, source_id, relationship)) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _outbox (\n    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, member INTEGER NOT NULL,\n    number INTEGER NOT NULL, edition INTEGER NOT NULL DEFAULT 0, action INTEGER NOT NULL,\n    account TEXT NOT NULL, since REAL NOT NULL, key TEXT, rejection TEXT, sent TEXT, object TEXT,\n    PRIMARY KEY (source, source_id, relationship, member)) STRICT, WITHOUT ROWID","CREATE INDEX IF NOT EXISTS _outbox_member ON _outbox(member) WHERE member <> 0","CREATE INDEX IF NOT EXISTS _outbox_key ON _outbox(key) WHERE key IS NOT NULL","CREATE INDEX IF NOT EXISTS _outbox_rejection ON _outbox(number) WHERE rejection IS NOT NULL","CREATE TABLE IF NOT EXISTS _lease (\n    name TEXT PRIMARY KEY NOT NULL, holder TEXT NOT NULL) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _validator (\n    model TEXT NOT NULL, row INTEGER NOT NULL, text TEXT NOT NULL,\n    PRIMARY KEY (model, row)) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _tombstone (\n    model TEXT NOT NULL, key TEXT NOT NULL, version ANY NOT NULL,\n    PRIMARY KEY (model, key)) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _paged_list (\n    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, is_whole INTEGER NOT NULL,\n    PRIMARY KEY (source, source_id, relationship)) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _listing (\n    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, scope TEXT NOT NULL,\n    begun REAL NOT NULL, listed REAL NOT NULL, whole REAL, pages INTEGER NOT NULL, objects INTEGER NOT NULL,\n    total INTEGER, bookmark BLOB NOT NULL, token TEXT,\n    PRIMARY KEY (source, source_id, relationship, scope)) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _wire_shape (\n    model TEXT NOT NULL, property TEXT NOT NULL, shape INTEGER NOT NULL,\n    PRIMARY KEY (model, property)) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _wire_text (\n    model TEXT NOT NULL, row INTEGER NOT NULL, property TEXT NOT NULL, text TEXT NOT NULL,\n    PRIMARY KEY (model, row, property)) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _wire_name (\n    model TEXT NOT NULL, property TEXT NOT NULL, name TEXT NOT NULL,\n    PRIMARY KEY (model, property)) STRICT, WITHOUT ROWID","CREATE TABLE IF NOT EXISTS _answer (\n    id INTEGER PRIMARY KEY, question TEXT NOT NULL, credential TEXT NOT NULL, variant TEXT NOT NULL,\n    model TEXT NOT NULL, url TEXT NOT NULL, vary TEXT NOT NULL, etag TEXT, modified TEXT,\n    checked REAL NOT NULL, age INTEGER NOT NULL, lifetime INTEGER,\n    stale_if_error INTEGER, stale_while_revalidate INTEGER,\n    must_revalidate INTEGER NOT NULL, detail BLOB NOT NULL, roots BLOB NOT NULL,\n    element_count INTEGER NOT NULL, is_list INTEGER NOT NULL, object_count INTEGER NOT NULL,\n    vouched BLOB NOT NULL, checked_change INTEGER NOT NULL) STRICT","CREATE UNIQUE INDEX IF NOT EXISTS _answer_key ON _answer(question, credential, variant)","CREATE TABLE IF NOT EXISTS _answer_change (\n    id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT","CREATE TABLE IF NOT EXISTS _last_row (\n    model TEXT PRIMARY KEY NOT NULL, row INTEGER NOT NULL) STRICT, WITHOUT ROWID"],"tables":[{"identity":["identifier"],"model":"Album","name":"album","properties":[{"column":"identifier","hasDefault":false,"isOptional":true,"kind":"integer","name":"identifier","range":[-9223372036854775808,9223372036854775807]},{"column":"title","hasDefault":true,"isOptional":false,"kind":"text","name":"title"},{"column":"state","hasDefault":true,"isOptional":false,"kind":"text","name":"state"},{"column":"is_public","hasDefault":true,"isOptional":false,"kind":"boolean","name":"isPublic"},{"column":"small","hasDefault":false,"isOptional":true,"kind":"integer","name":"small","range":[-128,127]},{"column":"large","hasDefault":false,"isOptional":true,"kind":"unsigned","name":"large"},{"column":"rating","hasDefault":false,"isOptional":true,"kind":"real","name":"rating"},{"column":"price","hasDefault":false,"isOptional":true,"kind":"decimal","name":"price"},{"column":"released_at","hasDefault":false,"isOptional":true,"kind":"date","name":"releasedAt"},{"column":"cover","hasDefault":false,"isOptional":true,"kind":"data","name":"cover"},{"column":"homepage","hasDefault":false,"isOptional":true,"kind":"url","name":"homepage"},{"column":"token","hasDefault":false,"isOptional":true,"kind":"uuid","name":"token"},{"column":"place","hasDefault":false,"isOptional":true,"kind":"json","name":"place"},{"column":"words","hasDefault":true,"isOptional":false,"kind":"list of text","name":"words"},{"column":"artist_id","hasDefault":false,"isOptional":false,"name":"artist","target":"artist"},{"hasDefault":false,"isOptional":false,"list":{"column":{"_0":"album_id","position":"_album_position"}},"name":"tracks","target":"track"},{"hasDefault":false,"isOptional":false,"list":{"join":{"_0":"album_genres","isReversed":false,"isTwoSided":true}},"name":"genres","target":"genre"},{"hasDefault":false,"isOptional":false,"list":{"join":{"_0":"album_similar","isReversed":false,"isTwoSided":false}},"name":"similar","target":"album"}]},{"identity":["identifier"],"model":"Artist","name":"artist","properties":[{"column":"identifier","hasDefault":false,"isOptional":true,"kind":"text","name":"identifier"},{"hasDefault":false,"isOptional":false,"list":{"column":{"_0":"artist_id","position":"_artist_position"}},"name":"albums","target":"album"}]},{"identity":["album_id","number"],"model":"Track","name":"track","properties":[{"column":"number","hasDefault":false,"isOptional":true,"kind":"integer","name":"number","range":[-9223372036854775808,9223372036854775807]},{"column":"title","hasDefault":false,"isOptional":true,"kind":"text","name":"title"},{"column":"album_id","hasDefault":false,"isOptional":false,"name":"album","target":"album"}]},{"identity":["name"],"model":"Genre","name":"genre","properties":[{"column":"name","hasDefault":false,"isOptional":true,"kind":"text","name":"name"},{"hasDefault":false,"isOptional":false,"list":{"join":{"_0":"album_genres","isReversed":true,"isTwoSided":true}},"name":"albums","target":"album"}]}],"version":1}');
CREATE TABLE _send (
    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL,
    holder TEXT NOT NULL, lists TEXT,
    PRIMARY KEY (source, source_id, relationship)) STRICT, WITHOUT ROWID;
CREATE TABLE _tombstone (
    model TEXT NOT NULL, key TEXT NOT NULL, version ANY NOT NULL,
    PRIMARY KEY (model, key)) STRICT, WITHOUT ROWID;
CREATE TABLE _validator (
    model TEXT NOT NULL, row INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (model, row)) STRICT, WITHOUT ROWID;
CREATE TABLE _wire_name (
    model TEXT NOT NULL, property TEXT NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (model, property)) STRICT, WITHOUT ROWID;
CREATE TABLE _wire_shape (
    model TEXT NOT NULL, property TEXT NOT NULL, shape INTEGER NOT NULL,
    PRIMARY KEY (model, property)) STRICT, WITHOUT ROWID;
INSERT INTO "_wire_shape" VALUES ('album', 'artist', 2147483648);
INSERT INTO "_wire_shape" VALUES ('album', 'price', 1);
INSERT INTO "_wire_shape" VALUES ('album', 'releasedAt', 536870976);
INSERT INTO "_wire_shape" VALUES ('album', 'similar', 2147483648);
CREATE TABLE _wire_text (
    model TEXT NOT NULL, row INTEGER NOT NULL, property TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (model, row, property)) STRICT, WITHOUT ROWID;
CREATE TABLE "album" (
    _id INTEGER PRIMARY KEY NOT NULL,
    "identifier" INTEGER,
    "title" TEXT,
    "state" TEXT,
    "is_public" INTEGER,
    "small" INTEGER,
    "large" INTEGER,
    "rating" REAL,
    "price" TEXT,
    "released_at" REAL,
    "cover" BLOB,
    "homepage" TEXT,
    "token" TEXT,
    "place" TEXT,
    "words" TEXT,
    "artist_id" INTEGER REFERENCES "artist"(_id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    "_said" INTEGER,
    "_said_lists" INTEGER,
    "_artist_position" INTEGER,
    _unsent TEXT) STRICT;
INSERT INTO "album" VALUES (1, 1, 'It''s', 'published', 1, -128, -1, 4.0, '12.50', 1577836800.5, X'00FF', 'https://a.example/x?y=1', 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F', '{"x": 1, "y": 2}', '["a", "b"]', 1, 32767, 7, NULL, NULL);
INSERT INTO "album" VALUES (2, 2, '', 'unheard of', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', NULL, 16389, 2, NULL, NULL);
INSERT INTO "album" VALUES (3, 3, 'mine', 'draft', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', NULL, 16449, 0, NULL, '{"artist":{"edit":"3511436310950109249","integer":"1"},"rating":{"edit":"3511436310950109218","real":"3.0"},"title":{"edit":"3511436310950109217","text":""}}');
CREATE TABLE "album_genres" (
    source_id INTEGER NOT NULL REFERENCES "album"(_id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED,
    target_id INTEGER NOT NULL REFERENCES "genre"(_id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED,
    position INTEGER, inverse_position INTEGER,
    PRIMARY KEY (source_id, target_id)) STRICT, WITHOUT ROWID;
INSERT INTO "album_genres" VALUES (1, 1, 0, NULL);
INSERT INTO "album_genres" VALUES (1, 2, 1, NULL);
INSERT INTO "album_genres" VALUES (2, 2, 0, NULL);
CREATE TABLE "album_similar" (
    source_id INTEGER NOT NULL REFERENCES "album"(_id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED,
    target_id INTEGER NOT NULL REFERENCES "album"(_id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED,
    position INTEGER,
    PRIMARY KEY (source_id, target_id)) STRICT, WITHOUT ROWID;
INSERT INTO "album_similar" VALUES (1, 2, 0);
CREATE TABLE "artist" (
    _id INTEGER PRIMARY KEY NOT NULL,
    "identifier" TEXT,
    "_said" INTEGER,
    "_said_lists" INTEGER,
    _unsent TEXT) STRICT;
INSERT INTO "artist" VALUES (1, 'ada', 1, 0, NULL);
CREATE TABLE "genre" (
    _id INTEGER PRIMARY KEY NOT NULL,
    "name" TEXT,
    "_said" INTEGER,
    "_said_lists" INTEGER,
    _unsent TEXT) STRICT;
INSERT INTO "genre" VALUES (1, 'rock', 1, 0, NULL);
INSERT INTO "genre" VALUES (2, 'jazz', 1, 0, NULL);
CREATE TABLE "track" (
    _id INTEGER PRIMARY KEY NOT NULL,
    "number" INTEGER,
    "title" TEXT,
    "album_id" INTEGER REFERENCES "album"(_id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    "_said" INTEGER,
    "_album_position" INTEGER,
    _unsent TEXT) STRICT;
INSERT INTO "track" VALUES (1, 2, 'two', 1, 7, 0, NULL);
INSERT INTO "track" VALUES (2, 1, NULL, 1, 5, 1, NULL);
CREATE UNIQUE INDEX _answer_key ON _answer(question, credential, variant);
CREATE INDEX _outbox_key ON _outbox(key) WHERE key IS NOT NULL;
CREATE INDEX _outbox_member ON _outbox(member) WHERE member <> 0;
CREATE INDEX _outbox_rejection ON _outbox(number) WHERE rejection IS NOT NULL;
CREATE INDEX _pair_target ON _pair(list, target_id);
CREATE INDEX _pending_link_source ON _pending_link(source, source_id);
CREATE INDEX "_unsent_album" ON "album"(_id) WHERE _unsent IS NOT NULL;
CREATE INDEX "_unsent_artist" ON "artist"(_id) WHERE _unsent IS NOT NULL;
CREATE INDEX "_unsent_genre" ON "genre"(_id) WHERE _unsent IS NOT NULL;
CREATE INDEX "_unsent_track" ON "track"(_id) WHERE _unsent IS NOT NULL;
CREATE INDEX "album_artist_id" ON "album"("artist_id");
CREATE INDEX "album_genres_target" ON "album_genres"(target_id);
CREATE UNIQUE INDEX "album_identity" ON "album"("identifier");
CREATE INDEX "album_similar_target" ON "album_similar"(target_id);
CREATE UNIQUE INDEX "artist_identity" ON "artist"("identifier");
CREATE UNIQUE INDEX "genre_identity" ON "genre"("name");
CREATE UNIQUE INDEX "track_identity" ON "track"("album_id", "number");
