import BenchmarkPeer
import Foundation
import RestfulData

/// The cost of fetching beside importing: empty answers, pages, equal fetches at once. `RestfulDataBench --fetches DATA
/// ROUNDS [FLOOR]`.
///
/// The server is in memory. The floor is SQLite's own time for a commit a page. All figures are processor time, of all
/// threads.
@MainActor
struct FetchComparison {
    static let pageCount = 100

    private let server: IssueServer
    private let folder: URL
    private let rounds: Int
    private let data: String
    private let floor: String?
    private var table = FetchTable()

    init(_ arguments: some Collection<String>) throws {
        let arguments = Array(arguments)
        guard (2...3).contains(arguments.count), let rounds = Int(arguments[1]), rounds > 0 else {
            throw Failure(description: "the arguments are DATA ROUNDS [FLOOR]")
        }
        (data, floor) = (arguments[0], arguments.count > 2 ? arguments[2] : nil)
        let body = try Data(contentsOf: URL(fileURLWithPath: data).appendingPathComponent("issues.json"))
        let issues = Self.elements(of: Array(body))
        let size = issues.count / Self.pageCount
        guard size > 0 else { throw Failure(description: "issues.json has \(issues.count) issues") }
        server = IssueServer(
            (0..<Self.pageCount).map {
                Array(issues[$0 * size..<($0 + 1) * size].joined(separator: [UInt8(ascii: ",")]))
            })
        self.rounds = rounds
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fetches-\(UUID().uuidString)")
    }

    /// The elements of a JSON list, as they stand.
    private static func elements(of list: [UInt8]) -> [ArraySlice<UInt8>] {
        var (elements, depth, start, isInString, index) = ([ArraySlice<UInt8>](), 0, 0, false, 0)
        while index < list.count {
            switch (list[index], isInString) {
            case (UInt8(ascii: "\\"), true): index += 1
            case (UInt8(ascii: "\""), _): isInString.toggle()
            case (UInt8(ascii: "["), false), (UInt8(ascii: "{"), false):
                depth += 1
                if depth == 2 { start = index }
            case (UInt8(ascii: "]"), false), (UInt8(ascii: "}"), false):
                if depth == 2 { elements.append(list[start...index]) }
                depth -= 1
            default: break
            }
            index += 1
        }
        return elements
    }

    /// Prints the table.
    static func run(_ arguments: some Collection<String>) async -> Never {
        do {
            var comparison = try FetchComparison(arguments)
            print(try await comparison.measure())
            exit(EXIT_SUCCESS)
        } catch {
            FileHandle.standardError.write(Data("RestfulDataBench: \(error)\n".utf8))
            exit(EXIT_FAILURE)
        }
    }

    private mutating func measure() async throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The first round includes lazy set-up, and is ignored.
        for round in 0...rounds {
            var measured = [
                FetchTable.Row.pageUnchanged: try await unchanged("/pages", times: 50),
                .wholeUnchanged: try await unchanged("/whole", times: 3),
            ]
            measured[.wholeTrip] = (
                measured[.wholeUnchanged]?.own ?? .zero, try await withStore { try await Self.emptyAnswer(in: $0) }
            )
            (measured[.pages], measured[.lastPages]) = try await paged(isRegular: round % 2 == 0)
            if let floor { measured[.floorPages] = try floorPages(floor) }
            if round > 0 { table.add(measured) }
        }
        try await checkBurst()
        return table.markdown
    }

    // MARK: The rows

    /// An answer of 304, beside the same with its body.
    private func unchanged(_ path: URLTemplate, times: Int) async throws -> FetchTable.Pair {
        try await withStore { store in
            let held = try await Issue.fetchAll(path, in: store.main)
            @MainActor func time(_ policy: FetchPolicy) async throws -> Duration {
                try await Self.time {
                    for _ in 0..<times {
                        let fetched = try await Issue.fetchAll(path, policy: policy, in: store.main)
                        guard fetched.count == held.count else { throw Failure(description: "not the same") }
                    }
                } / times
            }
            // One of each before, uncounted.
            for policy in [FetchPolicy.reload, .revalidate] {
                _ = try await Issue.fetchAll(path, policy: policy, in: store.main)
            }
            return (try await time(.revalidate), try await time(.reload))
        }
    }

    /// An answer with an empty list.
    private static func emptyAnswer(in store: Store) async throws -> Duration {
        let times = 50
        _ = try await Issue.fetchAll("/empty/0", in: store.main)
        return try await time {
            for _ in 0..<times { try await Issue.fetchAll("/empty/0", policy: .reload, in: store.main).check(0) }
        } / times
    }

    /// The floor's time for a commit a page beside one for all, with zero requests.
    private func floorPages(_ floor: String) throws -> FetchTable.Pair {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: floor)
        let database = folder.appendingPathComponent("\(UUID().uuidString).floor").path
        process.arguments = ["--pages", data, database]
        process.standardOutput = output
        try process.run()
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let times = words.split { $0.isWhitespace }.compactMap { Double($0) }
        guard process.terminationStatus == 0, times.count == 2 else {
            throw Failure(description: "the floor says of pages: \(words)")
        }
        return (.seconds(times[1] / 1000), .seconds(times[0] / 1000))
    }

    /// A hundred pages, beside one body with the same rows and a hundred empty answers; and the last pages beside the
    /// first.
    private func paged(isRegular: Bool) async throws -> (FetchTable.Pair, FetchTable.Pair) {
        var (one, paged) = (Duration.zero, Duration.zero)
        var ends: FetchTable.Pair = (.zero, .zero)
        for isPaged in [isRegular, !isRegular] {
            try await withStore { store in
                if isPaged {
                    (paged, ends) = try await Self.pages(in: store)
                } else {
                    one = try await Self.time {
                        try await Issue.fetchAll("/whole", in: store.main).check(10_000)
                        for page in 0..<Self.pageCount {
                            try await Issue.fetchAll("/empty/\(page)", in: store.main).check(0)
                        }
                    }
                }
            }
        }
        return ((paged, one), ends)
    }

    private static func pages(in store: Store) async throws -> (Duration, FetchTable.Pair) {
        var marks: [Duration] = [.processorTime]
        for try await page in Issue.pages("/pages", limit: 200, in: store.main) {
            try page.objects.check(100)
            marks.append(.processorTime)
        }
        guard marks.count == pageCount + 1 else { throw Failure(description: "\(marks.count - 1) pages") }
        // The first few find an empty file.
        let (second, last) = (marks[30] - marks[10], marks[100] - marks[80])
        return (marks[pageCount] - marks[0], (last, second))
    }

    /// A hundred equal fetches at once send one request.
    private func checkBurst() async throws {
        try await withStore { store in
            let before = server.count
            let tasks = (0..<100).map { _ in
                Task { try await Issue.fetchAll("/slow", in: store.main).count }
            }
            for task in tasks { guard try await task.value == 100 else { throw Failure(description: "not the same") } }
            guard server.count == before + 1 else {
                throw Failure(description: "equal fetches sent more than one request")
            }
        }
    }

    // MARK: Measuring

    private func withStore<Result>(_ body: @MainActor (Store) async throws -> Result) async throws
        -> Result
    {
        let path = folder.appendingPathComponent("\(UUID().uuidString).sqlite").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let api = API("https://api.example.com", transport: server)
        let models: [any Model.Type] = [Issue.self, User.self, Label.self, Milestone.self]
        return try await body(try Store(.file(path), models: models, api: api))
    }

    private static func time(_ work: @MainActor () async throws -> Void) async throws -> Duration {
        let begin = Duration.processorTime
        try await work()
        return .processorTime - begin
    }
}

extension Duration {
    /// The processor time of all threads of this process, which other programs change little.
    fileprivate static var processorTime: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension [Issue] {
    fileprivate func check(_ count: Int) throws {
        guard self.count == count else { throw Failure(description: "\(self.count) issues in place of \(count)") }
    }
}
