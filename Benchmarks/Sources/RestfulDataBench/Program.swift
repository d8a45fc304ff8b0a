import BenchmarkPeer

/// The peer that is this library: `RestfulDataBench [--dates] DATA DATABASE TASKS`; what its links cost, and what
/// fetches do.
@main
enum Program {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "--links": await LinkComparison.run(arguments.dropFirst())
        case "--fetches": await FetchComparison.run(arguments.dropFirst())
        case "--dates": await DatedPeer.run(arguments.dropFirst())
        default: await TextPeer.run(arguments)
        }
    }
}
