// The tables, and which JSON key fills which column. Columns stand in the order in which the server sends their keys, so
// that the next key is most often that of the next column.
#pragma once
#include <string>
#include <vector>

enum TableIndex { users, labels, milestones, issues, repositories, none };

struct Column {
    std::string key;
    std::string name;
    std::string type;
    TableIndex target = none;  // The table of the object that stands under the key.
};

inline Column text(const std::string &name) { return {name, name, "TEXT"}; }
inline Column integer(const std::string &name) { return {name, name, "INTEGER"}; }
inline Column link(const std::string &key, TableIndex target) { return {key, key + "_id", "INTEGER", target}; }
// The server's id; `_id` is the local key.
inline Column identity() { return {"id", "id", "INTEGER UNIQUE"}; }

struct Table {
    std::string name;
    std::vector<Column> columns;

    std::string definition(const std::vector<Table> &all) const;
    std::string upsert() const;
};

inline const std::vector<Table> &tables() {
    static const std::vector<Table> all = {
        {"user",
         {text("login"), identity(), text("node_id"), text("avatar_url"), text("gravatar_id"), text("url"),
          text("html_url"), text("followers_url"), text("following_url"), text("gists_url"), text("starred_url"),
          text("subscriptions_url"), text("organizations_url"), text("repos_url"), text("events_url"),
          text("received_events_url"), text("type"), integer("site_admin")}},
        {"label",
         {identity(), text("node_id"), text("url"), text("name"), text("color"), integer("default"),
          text("description")}},
        {"milestone",
         {text("url"), text("html_url"), text("labels_url"), identity(), text("node_id"), integer("number"),
          text("title"), text("description"), link("creator", users), integer("open_issues"), integer("closed_issues"),
          text("state"), text("created_at"), text("updated_at"), text("due_on"), text("closed_at")}},
        {"issue",
         {text("url"), text("repository_url"), text("labels_url"), text("comments_url"), text("events_url"),
          text("html_url"), identity(), text("node_id"), integer("number"), text("title"), link("user", users),
          text("state"), integer("locked"), link("assignee", users), link("milestone", milestones),
          integer("comments"), text("created_at"), text("updated_at"), text("closed_at"), text("author_association"),
          text("active_lock_reason"), text("body"), link("closed_by", users), text("timeline_url"),
          text("state_reason")}},
        {"repository",
         {identity(), text("node_id"), text("name"), text("full_name"), integer("private"), link("owner", users),
          text("html_url"), text("description"), integer("fork"), text("url"), text("created_at"), text("updated_at"),
          text("pushed_at"), text("git_url"), text("ssh_url"), text("clone_url"), text("svn_url"), text("homepage"),
          integer("size"), integer("stargazers_count"), integer("watchers_count"), text("language"),
          integer("has_issues"), integer("has_projects"), integer("has_downloads"), integer("has_wiki"),
          integer("has_pages"), integer("has_discussions"), integer("forks_count"), integer("archived"),
          integer("disabled"), integer("open_issues_count"), integer("is_template"), text("visibility"),
          text("default_branch")}},
    };
    return all;
}

inline std::string quoted(const std::string &name) { return '"' + name + '"'; }

inline std::string Table::definition(const std::vector<Table> &all) const {
    std::string columnList, indexes;
    for (auto &column : columns) {
        columnList += ", " + quoted(column.name) + " " + column.type;
        if (column.target == none) continue;
        columnList += " REFERENCES " + all[column.target].name + "(_id)";
        indexes += "CREATE INDEX IF NOT EXISTS " + name + "_by_" + column.key + " ON " + name + "(" + column.name + ");";
    }
    return "CREATE TABLE IF NOT EXISTS " + name + "(_id INTEGER PRIMARY KEY NOT NULL" + columnList + ") STRICT;" + indexes;
}

// A row that says the same already is not written.
inline std::string Table::upsert() const {
    std::string names, marks, sets, differs;
    for (auto &column : columns) {
        auto name = quoted(column.name);
        auto separator = names.empty() ? "" : ", ";
        names += separator + name;
        marks += std::string(separator) + "?";
        if (column.key == "id") continue;
        sets += (sets.empty() ? "" : ", ") + name + " = excluded." + name;
        differs += (differs.empty() ? "" : " OR ") + name + " IS NOT excluded." + name;
    }
    return "INSERT INTO " + name + "(" + names + ") VALUES (" + marks + ") ON CONFLICT(id) DO UPDATE SET " + sets +
           " WHERE " + differs;
}

// The rows of an issue's lists, in the server's order.
struct ListTable {
    std::string key;
    std::string name;
    std::string column;
    TableIndex target;

    std::string definition(const std::vector<Table> &all) const {
        return "CREATE TABLE IF NOT EXISTS " + name + "(issue_id INTEGER NOT NULL REFERENCES issue(_id), " + column +
               " INTEGER NOT NULL REFERENCES " + all[target].name +
               "(_id), position INTEGER NOT NULL, PRIMARY KEY (issue_id, " + column + ")) STRICT, WITHOUT ROWID;" +
               "CREATE INDEX IF NOT EXISTS " + name + "_by_" + column + " ON " + name + "(" + column + ");";
    }
};

inline const std::vector<ListTable> &listTables() {
    static const std::vector<ListTable> all = {{"labels", "issue_label", "label_id", labels},
                                               {"assignees", "issue_assignee", "user_id", users}};
    return all;
}

inline std::string schema() {
    std::string sql;
    for (auto &table : tables()) sql += table.definition(tables());
    for (auto &list : listTables()) sql += list.definition(tables());
    return sql;
}
