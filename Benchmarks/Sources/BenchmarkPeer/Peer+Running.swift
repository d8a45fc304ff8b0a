import Foundation

extension Peer {
    /// Does the tasks that the command line names, prints a line for each and ends the process: `DATA DATABASE TASKS`.
    ///
    /// Lazy set-up is done first, in a scratch file beside the database, so that it is in the time of none of the
    /// tasks.
    public static func run(_ arguments: some Collection<String>) async -> Never {
        do {
            try await perform(Array(arguments))
            exit(EXIT_SUCCESS)
        } catch {
            FileHandle.standardError.write(Data("\(Self.self): \(error)\n".utf8))
            exit(EXIT_FAILURE)
        }
    }

    private static func perform(_ arguments: [String]) async throws {
        guard arguments.count == 3 else { throw Misuse(description: "the arguments are DATA DATABASE TASKS") }
        let bodies = Bodies(folder: arguments[0])
        try await warmUp(path: arguments[1] + ".warm", bodies)
        let peer = try Self(path: arguments[1])
        for letter in arguments[2] {
            guard let task = BenchmarkTask(rawValue: letter) else { throw Misuse(description: "no task \(letter)") }
            try await peer.perform(task, bodies, database: arguments[1])
        }
    }

    private static func warmUp(path: String, _ bodies: Bodies) async throws {
        let peer = try Self(path: path)
        let one = try bodies.load("one.json")
        try await peer.importIssue(one)
        try await peer.importIssues(one)
        _ = try await peer.fetchAll() + peer.followUsers()
    }

    private func perform(_ task: BenchmarkTask, _ bodies: Bodies, database: String) async throws {
        switch task {
        case .importCold, .importUnchanged, .importChanged, .importRepositories:
            try await measureImport(task, bodies)
        case .importOne: report(task, try await medianOfOne(bodies))
        case .fetchAll: try await measure(task) { try await fetchAll() }
        case .lookUp:
            let ids = try bodies.ids()
            try await measure(task) { try await lookUp(ids) }
        case .followUsers: try await measure(task) { try await followUsers() }
        case .fill:
            let body = try bodies.load("store.json")
            try await measure(task) {
                try await importIssues(body)
                return 0
            }
            // Otherwise the process would end before it, and later measurements in this store would read it from the
            // WAL.
            try await finishCheckpoint()
        case .writeRows: try await writeRows(to: database + ".rows")
        }
    }

    private func measureImport(_ task: BenchmarkTask, _ bodies: Bodies) async throws {
        let body = try bodies.load(task.bodyName)
        let baseline = try Memory.startPeak()
        let time = try await milliseconds {
            if task == .importRepositories {
                try await importRepositories(body)
            } else {
                try await importIssues(body)
            }
        }
        if task == .importCold { print("e\t\(try Memory.peak() - baseline)\t0") }
        report(task, time)
        let checkpoint = try await milliseconds { try await finishCheckpoint() }
        print("\(task.letterWithCheckpoint)\t\(time + checkpoint)\t0")
    }

    /// The median of twenty imports of one issue with one of two titles in turn.
    private func medianOfOne(_ bodies: Bodies) async throws -> Double {
        let changed = try bodies.load("one-changed.json")
        let one = try bodies.load("one.json")
        var times: [Double] = []
        for _ in 0..<10 {
            for body in [changed, one] {
                times.append(try await milliseconds { try await importIssue(body) })
            }
        }
        return times.sorted()[times.count / 2]
    }

    private func measure(_ task: BenchmarkTask, _ work: () async throws -> Int) async throws {
        var proof = 0
        let time = try await milliseconds { proof = try await work() }
        report(task, time, proof: proof)
    }

    private func milliseconds(_ work: () async throws -> Void) async throws -> Double {
        let time = try await ContinuousClock().measure { try await work() }
        return time / .milliseconds(1)
    }

    private func report(_ task: BenchmarkTask, _ milliseconds: Double, proof: Int = 0) {
        print("\(task.rawValue)\t\(milliseconds)\t\(proof)")
    }

    private func writeRows(to path: String) async throws {
        var lines = Data()
        for row in try await issueRows() {
            lines.append(try row.json())
            lines.append(UInt8(ascii: "\n"))
        }
        try lines.write(to: URL(fileURLWithPath: path))
        report(.writeRows, 0)
    }
}
