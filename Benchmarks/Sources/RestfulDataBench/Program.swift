import BenchmarkPeer

/// The peer that is this library: `RestfulDataBench [--dates] DATA DATABASE TASKS`; and what its links cost.
@main
enum Program {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "--links": await LinkComparison.run(arguments.dropFirst())
        case "--dates": await DatedPeer.run(arguments.dropFirst())
        default: await TextPeer.run(arguments)
        }
    }
}
