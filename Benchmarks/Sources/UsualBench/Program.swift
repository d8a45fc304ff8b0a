import BenchmarkPeer

/// The peer that is written by hand: `UsualBench DATA DATABASE TASKS`.
@main
enum Program {
    static func main() async {
        await UsualPeer.run(CommandLine.arguments.dropFirst())
    }
}
