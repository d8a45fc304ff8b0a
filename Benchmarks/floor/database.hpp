// SQLite's own interface, with just enough around it that nothing leaks and no error goes unseen.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

class Database {
public:
    explicit Database(const std::string &path) {
        check(sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                              nullptr));
        // An upsert into a table with foreign keys opens a statement journal, which would be a file.
        run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
            "PRAGMA temp_store = MEMORY");
        // In place of the hook that makes a checkpoint within the commit.
        sqlite3_wal_hook(handle, notePages, this);
    }
    Database(const Database &) = delete;
    ~Database() { sqlite3_close(handle); }

    // Copies the WAL into the file once it has 1000 pages, which is when SQLite does by default, but within the commit:
    // https://sqlite.org/wal.html#automatic_checkpoint
    void checkpointIfDue() {
        if (walPages < 1000) return;
        check(sqlite3_wal_checkpoint_v2(handle, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr));
        walPages = 0;
    }

    void run(const std::string &sql) { check(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr)); }

    void check(int code) const {
        if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
            throw std::runtime_error(sqlite3_errmsg(handle));
    }

    sqlite3 *handle = nullptr;

private:
    static int notePages(void *database, sqlite3 *, const char *, int pages) {
        static_cast<Database *>(database)->walPages = pages;
        return SQLITE_OK;
    }

    int walPages = 0;
};

class Statement {
public:
    Statement(Database &database, const std::string &sql) : database(database) {
        database.check(sqlite3_prepare_v3(database.handle, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr));
    }
    Statement(const Statement &) = delete;
    ~Statement() { sqlite3_finalize(handle); }

    // Parameters and columns count from 0. Text must stay where it is until the statement has run.
    void bind(int place, int64_t value) { sqlite3_bind_int64(handle, place + 1, value); }
    void bind(int place, std::string_view text) {
        sqlite3_bind_text(handle, place + 1, text.data(), int(text.size()), SQLITE_STATIC);
    }
    void clear() { sqlite3_clear_bindings(handle); }

    // False at the end, where the statement is ready to run again.
    bool step() {
        int code = sqlite3_step(handle);
        if (code == SQLITE_ROW) return true;
        sqlite3_reset(handle);
        database.check(code);
        return false;
    }
    void finish() {
        while (step()) {}
    }

    int64_t integer(int column) const { return sqlite3_column_int64(handle, column); }
    bool isNull(int column) const { return sqlite3_column_type(handle, column) == SQLITE_NULL; }
    std::string text(int column) const {
        auto bytes = reinterpret_cast<const char *>(sqlite3_column_text(handle, column));
        return std::string(bytes ? bytes : "", sqlite3_column_bytes(handle, column));
    }

private:
    Database &database;
    sqlite3_stmt *handle = nullptr;
};
