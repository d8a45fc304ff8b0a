// The floor: what the machine, SQLite and simdjson can do when nothing stands between them.
// floor DATA DATABASE TASKS; the tasks and the lines that are printed are those of the other peers (see README.md).
// floor --pages DATA DATABASE prints the processor time, in milliseconds, of the issues as one body, and as pages of
// which each is a transaction of its own.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>

#include "importer.hpp"
#include "records.hpp"

namespace {

struct Peer {
    Database database;
    Importer importer;

    explicit Peer(const std::string &path) : database(path), importer(make(database)) {}

    // The tables must be there before the importer's statements are prepared.
    static Database &make(Database &database) {
        database.run(schema());
        return database;
    }

    int64_t fetchAll() {
        int64_t sum = 0;
        for (auto &issue : IssueRecord::all(database)) sum += issue.number + int64_t(issue.title.size());
        return sum;
    }

    int64_t lookUp(const std::vector<int64_t> &ids) {
        int64_t sum = 0;
        Statement find(database, std::string(IssueRecord::query) + " WHERE id = ?");
        database.run("BEGIN");
        for (auto id : ids) {
            find.bind(0, id);
            while (find.step()) {
                IssueRecord issue(find);
                sum += issue.number + int64_t(issue.title.size());
            }
        }
        database.run("COMMIT");
        return sum;
    }

    int64_t followUsers() {
        auto issues = IssueRecord::all(database);
        auto users = UserRecord::byKey(database);
        int64_t sum = 0;
        for (auto &issue : issues) sum += int64_t(users.at(issue.links[0]).login.size());
        return sum;
    }

    void writeRows(const std::string &path) {
        std::ofstream out(path);
        Statement issues(database, "SELECT json_array(i.id, title, u.id, json((SELECT json_group_array(id) FROM (SELECT l.id "
                                   "FROM issue_label JOIN label l ON l._id = label_id WHERE issue_id = i._id ORDER BY position"
                                   ")))) FROM issue i JOIN user u ON u._id = user_id ORDER BY i.id");
        while (issues.step()) out << issues.text(0) << "\n";
    }
};

template <class Work> double milliseconds(Work work) {
    auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double megabytes(const std::string &name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind(name, 0) == 0) return std::stod(line.substr(name.size())) / 1024;
    return 0;
}

class Runner {
public:
    Runner(std::string folder, std::string path) : folder(std::move(folder)), path(std::move(path)) {}

    // What is set up lazily is set up in a scratch file first, so that no task pays for it.
    void run(const std::string &tasks) {
        {
            Peer warm(path + ".warm");
            warm.importer.run(load("one.json"), issues);
            warm.fetchAll();
            warm.followUsers();
        }
        Peer peer(path);
        for (char task : tasks) perform(task, peer);
    }

private:
    void perform(char task, Peer &peer) {
        switch (task) {
        case 'a': import(task, peer, "issues.json", issues); break;
        case 'b': import(task, peer, "issues.json", issues); break;
        case 'c': import(task, peer, "issues-1pct.json", issues); break;
        case 'r': import(task, peer, "repos.json", repositories); break;
        case 's': import(task, peer, "store.json", issues); break;
        case 'd': report(task, medianOfOne(peer), 0); break;
        case 'f': measure(task, [&] { return peer.fetchAll(); }); break;
        case 'g': {
            auto wanted = ids();
            measure(task, [&] { return peer.lookUp(wanted); });
            break;
        }
        case 'h': measure(task, [&] { return peer.followUsers(); }); break;
        case 'x':
            peer.writeRows(path + ".rows");
            report(task, 0, 0);
            break;
        default: throw std::runtime_error(std::string("no task ") + task);
        }
    }

    void import(char task, Peer &peer, const char *name, TableIndex root) {
        auto body = load(name);
        std::ofstream("/proc/self/clear_refs") << 5;  // VmHWM is set back to what is resident now.
        double baseline = megabytes("VmRSS:");
        double time = milliseconds([&] { peer.importer.run(body, root); });
        if (task == 'a') std::printf("e\t%.1f\t0\n", megabytes("VmHWM:") - baseline);
        report(task, time, 0);
        // The caller has its answer.
        double checkpoint = milliseconds([&] { peer.database.checkpointIfDue(); });
        report(char(std::toupper(task)), time + checkpoint, 0);
    }

    double medianOfOne(Peer &peer) {
        auto one = load("one.json"), changed = load("one-changed.json");
        std::vector<double> times;
        for (int n = 0; n < 20; n++)
            times.push_back(milliseconds([&] { peer.importer.run(n % 2 ? one : changed, issues); }));
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

    template <class Work> void measure(char task, Work work) {
        int64_t proof = 0;
        double time = milliseconds([&] { proof = work(); });
        report(task, time, proof);
    }

    static void report(char task, double time, int64_t proof) { std::printf("%c\t%.4f\t%lld\n", task, time, (long long)proof); }

    simdjson::padded_string load(const char *name) const {
        return simdjson::padded_string::load(folder + "/" + name).take_value();
    }

    std::vector<int64_t> ids() const {
        std::vector<int64_t> result;
        std::ifstream in(folder + "/ids.txt");
        for (int64_t id; in >> id;) result.push_back(id);
        return result;
    }

    std::string folder, path;
};

double processorMilliseconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

std::vector<simdjson::padded_string> pages(const simdjson::padded_string &body, size_t count) {
    simdjson::ondemand::parser parser;
    auto document = parser.iterate(body);
    std::vector<std::string_view> elements;
    for (auto element : document.get_array()) {
        simdjson::ondemand::object object = element.get_object();
        elements.push_back(object.raw_json());
    }
    std::vector<simdjson::padded_string> result;
    for (size_t size = elements.size() / count, page = 0; page < count; page++) {
        std::string text = "[";
        for (size_t index = page * size; index < (page + 1) * size; index++)
            text.append(text.size() > 1 ? "," : "").append(elements[index]);
        result.emplace_back(text + "]");
    }
    return result;
}

double import(const std::string &path, const std::vector<simdjson::padded_string> &bodies) {
    Peer peer(path);
    double start = processorMilliseconds();
    for (auto &body : bodies) {
        peer.importer.run(body, issues);
        peer.database.checkpointIfDue();
    }
    return processorMilliseconds() - start;
}

void comparePages(const std::string &folder, const std::string &path) {
    auto parts = pages(simdjson::padded_string::load(folder + "/issues.json").take_value(), 100);
    std::vector<simdjson::padded_string> whole;
    whole.push_back(simdjson::padded_string::load(folder + "/issues.json").take_value());
    import(path + ".warm", parts);
    double one = import(path + ".one", whole);
    std::printf("%.4f\t%.4f\n", one, import(path + ".pages", parts));
}

}  // namespace

int main(int count, char **arguments) {
    if (count != 4) {
        std::cerr << "usage: floor DATA DATABASE TASKS\n       floor --pages DATA DATABASE\n";
        return 2;
    }
    try {
        if (std::string(arguments[1]) == "--pages")
            comparePages(arguments[2], arguments[3]);
        else
            Runner(arguments[1], arguments[2]).run(arguments[3]);
    } catch (const std::exception &error) {
        std::cerr << "floor: " << error.what() << "\n";
        return 1;
    }
}
