// What is read back: rows as structs with all their columns.
#pragma once
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "database.hpp"

struct IssueRecord {
    static constexpr auto query =
        "SELECT _id, id, number, locked, comments, user_id, assignee_id, milestone_id, closed_by_id, title, url, "
        "repository_url, labels_url, comments_url, events_url, html_url, node_id, state, created_at, updated_at, "
        "author_association, timeline_url, closed_at, active_lock_reason, body, state_reason FROM issue";

    int64_t key, id, number, locked, comments;
    std::array<int64_t, 4> links;  // user, assignee, milestone, closed_by; 0 for none.
    std::string title;
    std::array<std::string, 12> texts;
    std::array<std::optional<std::string>, 4> optionalTexts;

    explicit IssueRecord(const Statement &row)
        : key(row.integer(0)), id(row.integer(1)), number(row.integer(2)), locked(row.integer(3)),
          comments(row.integer(4)), title(row.text(9)) {
        for (int n = 0; n < 4; n++) links[n] = row.integer(5 + n);
        for (int n = 0; n < 12; n++) texts[n] = row.text(10 + n);
        for (int n = 0; n < 4; n++)
            if (!row.isNull(22 + n)) optionalTexts[n] = row.text(22 + n);
    }

    static std::vector<IssueRecord> all(Database &database) {
        std::vector<IssueRecord> records;
        Statement rows(database, query);
        while (rows.step()) records.emplace_back(rows);
        return records;
    }
};

struct UserRecord {
    int64_t id, siteAdmin;
    std::string login;
    std::array<std::string, 15> texts;

    explicit UserRecord(const Statement &row) : id(row.integer(2)), siteAdmin(row.integer(18)), login(row.text(1)) {
        for (int n = 0; n < 15; n++) texts[n] = row.text(3 + n);
    }

    static std::unordered_map<int64_t, UserRecord> byKey(Database &database) {
        std::unordered_map<int64_t, UserRecord> records;
        Statement rows(database, "SELECT * FROM user");
        while (rows.step()) records.emplace(rows.integer(0), UserRecord(rows));
        return records;
    }
};
