import Foundation
import Testing

@testable import ObjectStore

/// Marks of facts that this process, others or earlier runs have sent.
@Suite struct SendMarksTests {
    private let processToken = ProcessToken.make()
    private let ended = ProcessToken(text: "-")
    private let record = RecordID(table: TableID(0), row: RowID(1))
    private var row: SentFact { SentFact(.row, of: record) }
    private var link: SentFact { SentFact(.relationship(PropertyIndex(2)), of: record) }

    private func mark(of processToken: ProcessToken) -> SendMark { SendMark(processToken: processToken) }

    /// The parent runs as long as this process.
    private var running: ProcessToken { ProcessToken(text: "\(getppid())--1") }

    @Test func `The process that holds a request is alive only while it runs`() {
        #expect(running.isAlive)
        for text in ["", "-", "x-1-1", "0--1", "-5--1", "\(Int32.max)--1", "\(getppid())-0-1", "\(getpid())--1"] {
            #expect(!ProcessToken(text: text).isAlive, "\(text)")
        }
        #expect(ProcessToken.make() != ProcessToken.make())
    }

    @Test func `A zombie process doesn't count as alive`() throws {
        var process: pid_t = 0
        var arguments = unsafe [strdup("true"), nil]
        defer { unsafe free(arguments[0]) }
        try #require(unsafe posix_spawnp(&process, "true", nil, nil, &arguments, nil) == 0)
        var information = unsafe siginfo_t()
        try #require(unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0)
        #expect(kill(process, 0) == 0)
        #expect(!ProcessToken(text: "\(process)--1").isAlive)
        var status: Int32 = 0
        #expect(unsafe waitpid(process, &status, 0) == process)
    }

    #if os(Linux)
        @Test func `A process is identified by its number and start time`() throws {
            let stat = try String(contentsOfFile: "/proc/\(getppid())/stat", encoding: .utf8)
            let fields = try #require(stat.split(separator: ")").last).split(separator: " ")
            #expect(ProcessToken(text: "\(getppid())-\(fields[19])-1").isAlive)
        }
    #endif

    @Test func `The request of an ended process is over for later fetches`() {
        var marks = SendMarks()
        let before = ChangeStamp.now()
        marks.replace(with: [row: mark(of: ended)], processToken: processToken)
        #expect(marks.hasOther(.row, of: record) && !marks.hasOther(.relationship(PropertyIndex(2)), of: record))
        #expect(marks.hasOther(of: record, since: before) && !marks.hasOther(of: record, since: .now()))
        let end = marks.end(of: record)
        #expect(end != nil)
        // Commits of another process leave its time as it is.
        marks.replace(with: [row: mark(of: ended), link: mark(of: ended)], processToken: processToken)
        #expect(marks.end(of: record) == end)
    }

    @Test func `The request of a running process may be carried out at any time`() {
        var marks = SendMarks()
        marks.replace(with: [link: mark(of: running)], processToken: processToken)
        #expect(marks.hasOther(of: record, since: .now()) && marks.end(of: record) == nil)
        #expect(marks.otherRelationships(of: record) == [PropertyIndex(2)])
        marks.forgetOther(link)
        #expect(!marks.hasOthers && marks.isEmpty)
    }

    #if os(Linux) || os(macOS)
        @Test func `A request ends with its process, without a write to the file`() async throws {
            let (process, input) = (Process(), Pipe())
            let (ending, ended) = AsyncStream.makeStream(of: Void.self)
            process.executableURL = URL(filePath: "/bin/cat")
            process.standardInput = input
            process.terminationHandler = { _ in ended.finish() }
            try process.run()
            var marks = SendMarks()
            marks.replace(
                with: [row: mark(of: ProcessToken(text: "\(process.processIdentifier)--1"))], processToken: processToken
            )
            marks.noteEndedProcesses(of: record)
            #expect(marks.end(of: record) == nil && marks.hasOther(of: record, since: .now()))
            try input.fileHandleForWriting.close()
            for await _ in ending {}
            marks.noteEndedProcesses(of: record)
            let end = marks.end(of: record)
            #expect(end != nil && !marks.hasOther(of: record, since: .now()))
            marks.noteEndedProcesses(of: record)
            #expect(marks.end(of: record) == end)
        }
    #endif

    @Test func `A transaction's send marks are assigned to their processes`() {
        var marks = SendMarks()
        marks.replace(with: [link: mark(of: running)], processToken: processToken)
        marks.apply([row: mark(of: processToken), link: mark(of: running)], processToken: processToken)
        #expect(marks.isOwn(row) && !marks.isOwn(link) && !marks.hasOther(.row, of: record))
        marks.apply([row: nil as SendMark?, link: nil as SendMark?], processToken: processToken)
        #expect(marks.isEmpty)
    }
}
