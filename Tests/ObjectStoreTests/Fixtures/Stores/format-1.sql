PRAGMA user_version = 1;
CREATE TABLE _pending_link (
    source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL,
    target TEXT NOT NULL, target_identity TEXT NOT NULL, position INTEGER,
    PRIMARY KEY (target, target_identity, source, source_id, relationship)) STRICT, WITHOUT ROWID;
INSERT INTO "_pending_link" VALUES ('album', 1, 'similar', 'album', '99', 1);
INSERT INTO "_pending_link" VALUES ('album', 2, 'artist', 'artist', 'bob', NULL);
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
    "_artist_position" INTEGER,
    _unsent TEXT) STRICT;
INSERT INTO "album" VALUES (1, 1, 'It''s', 'published', 1, -128, -1, 4.0, '12.50', 1577836800.5, X'00FF', 'https://a.example/x?y=1', 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F', '{"x": 1, "y": 2}', '["a", "b"]', 1, NULL, NULL);
INSERT INTO "album" VALUES (2, 2, '', 'unheard of', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL);
INSERT INTO "album" VALUES (3, 3, 'mine', 'draft', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, '{"artist":{"integer":"1"},"rating":{"real":"3.0"},"title":{"text":""}}');
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
    _unsent TEXT) STRICT;
INSERT INTO "artist" VALUES (1, 'ada', NULL);
CREATE TABLE "genre" (
    _id INTEGER PRIMARY KEY NOT NULL,
    "name" TEXT,
    _unsent TEXT) STRICT;
INSERT INTO "genre" VALUES (1, 'rock', NULL);
INSERT INTO "genre" VALUES (2, 'jazz', NULL);
CREATE TABLE "track" (
    _id INTEGER PRIMARY KEY NOT NULL,
    "number" INTEGER,
    "title" TEXT,
    "album_id" INTEGER REFERENCES "album"(_id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    "_album_position" INTEGER,
    _unsent TEXT) STRICT;
INSERT INTO "track" VALUES (1, 2, 'two', 1, 0, NULL);
INSERT INTO "track" VALUES (2, 1, NULL, 1, 1, NULL);
CREATE INDEX _pending_link_source ON _pending_link(source, source_id);
CREATE INDEX "album_artist_id" ON "album"("artist_id");
CREATE INDEX "album_genres_target" ON "album_genres"(target_id);
CREATE UNIQUE INDEX "album_identity" ON "album"("identifier");
CREATE INDEX "album_similar_target" ON "album_similar"(target_id);
CREATE UNIQUE INDEX "artist_identity" ON "artist"("identifier");
CREATE UNIQUE INDEX "genre_identity" ON "genre"("name");
CREATE UNIQUE INDEX "track_identity" ON "track"("album_id", "number");
