import BenchmarkPeer

/// The peer for this library: `RestfulDataBench [--dates] DATA DATABASE TASKS`; the cost of its links, and of fetches.
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
