// Bytes to rows: simdjson's on-demand reader, values bound from its buffer, one prepared upsert for each table. Users,
// labels and milestones are stored once for each id in a body.
#pragma once
#include <simdjson.h>

#include <memory>
#include <unordered_map>

#include "database.hpp"
#include "tables.hpp"

class Importer {
public:
    explicit Importer(Database &database) : database(database) {
        for (auto &table : tables()) targets.push_back(std::make_unique<Target>(database, table));
        for (auto &list : listTables()) lists.push_back(std::make_unique<List>(database, list));
    }

    void run(const simdjson::padded_string &body, TableIndex root) {
        for (auto &target : targets) target->stored.clear();
        database.run("BEGIN IMMEDIATE");
        auto document = parser.iterate(body);
        if (document.type() == simdjson::ondemand::json_type::array) {
            for (auto element : document.get_array()) store(element.get_object(), root);
        } else {
            store(document.get_object(), root);
        }
        database.run("COMMIT");
    }

private:
    struct Target {
        const std::vector<Column> &columns;
        Statement upsert, find;
        std::unordered_map<int64_t, int64_t> stored;  // Local keys by the server's id.

        Target(Database &database, const Table &table)
            : columns(table.columns), upsert(database, table.upsert()),
              find(database, "SELECT _id FROM " + table.name + " WHERE id = ?") {}
    };

    struct List {
        const ListTable &table;
        Statement read, clear, add;

        List(Database &database, const ListTable &table)
            : table(table),
              read(database, "SELECT " + table.column + " FROM " + table.name + " WHERE issue_id = ? ORDER BY position"),
              clear(database, "DELETE FROM " + table.name + " WHERE issue_id = ?"),
              add(database, "INSERT INTO " + table.name + " VALUES (?, ?, ?)") {}

        bool holds(int64_t owner, const std::vector<int64_t> &members) {
            size_t place = 0;
            bool isSame = true;
            read.bind(0, owner);
            for (; read.step(); place++) isSame &= place < members.size() && members[place] == read.integer(0);
            return isSame && place == members.size();
        }

        void store(int64_t owner, bool isNew, const std::vector<int64_t> &members) {
            if (!isNew) {
                if (holds(owner, members)) return;
                clear.bind(0, owner);
                clear.finish();
            }
            for (size_t place = 0; place < members.size(); place++) {
                add.bind(0, owner);
                add.bind(1, members[place]);
                add.bind(2, int64_t(place));
                add.finish();
            }
        }
    };

    // The local key of the object's row. What is left of an object that was stored before is passed over by simdjson.
    int64_t store(simdjson::ondemand::object object, TableIndex index) {
        auto &target = *targets[index];
        target.upsert.clear();
        std::vector<std::pair<List *, std::vector<int64_t>>> members;
        int64_t id = 0;
        size_t expected = 0;
        for (auto field : object) {
            auto key = field.key().value();
            auto value = field.value().value();
            size_t place = find(key, target.columns, expected);
            if (place == target.columns.size()) {
                if (index == issues) readList(key, value, members);
                continue;
            }
            expected = place + 1;
            auto &column = target.columns[place];
            if (column.key == "id") {
                id = value.get_int64();
                if (auto known = target.stored.find(id); known != target.stored.end()) return known->second;
                target.upsert.bind(int(place), id);
            } else {
                bind(target.upsert, int(place), value, column.target);
            }
        }
        // An update leaves the last key alone, so that this tells an insert from it.
        sqlite3_set_last_insert_rowid(database.handle, 0);
        target.upsert.finish();
        int64_t local = sqlite3_last_insert_rowid(database.handle);
        bool isNew = local != 0;
        if (!isNew) {
            target.find.bind(0, id);
            while (target.find.step()) local = target.find.integer(0);
        }
        if (index < issues) target.stored[id] = local;
        for (auto &[list, keys] : members) list->store(local, isNew, keys);
        return local;
    }

    // The place of the column with that key, looked for from the expected one on; the number of columns if there is none.
    static size_t find(const simdjson::ondemand::raw_json_string &key, const std::vector<Column> &columns, size_t expected) {
        for (size_t tries = 0, place = expected; tries < columns.size(); tries++, place++) {
            if (place >= columns.size()) place = 0;
            if (key.unsafe_is_equal(columns[place].key)) return place;
        }
        return columns.size();
    }

    void bind(Statement &statement, int place, simdjson::ondemand::value value, TableIndex target) {
        switch (value.type()) {
        // Unescaped into the parser's buffer, which outlives the statement's run.
        case simdjson::ondemand::json_type::string: statement.bind(place, std::string_view(value.get_string())); break;
        case simdjson::ondemand::json_type::number: statement.bind(place, int64_t(value.get_int64())); break;
        case simdjson::ondemand::json_type::boolean: statement.bind(place, int64_t(bool(value.get_bool()))); break;
        case simdjson::ondemand::json_type::object:
            if (target != none) statement.bind(place, store(value.get_object(), target));
            break;
        default: break;
        }
    }

    void readList(const simdjson::ondemand::raw_json_string &key, simdjson::ondemand::value value,
                  std::vector<std::pair<List *, std::vector<int64_t>>> &members) {
        for (auto &list : lists) {
            if (!key.unsafe_is_equal(list->table.key)) continue;
            std::vector<int64_t> keys;
            for (auto element : value.get_array()) keys.push_back(store(element.get_object(), list->table.target));
            members.emplace_back(list.get(), std::move(keys));
        }
    }

    Database &database;
    std::vector<std::unique_ptr<Target>> targets;
    std::vector<std::unique_ptr<List>> lists;
    simdjson::ondemand::parser parser;
};
