import BenchmarkPeer

/// The peer that is this library: `RestfulDataBench [--dates] DATA DATABASE TASKS`.
@main
enum Program {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--dates" {
            await DatedPeer.run(arguments.dropFirst())
        } else {
            await TextPeer.run(arguments)
        }
    }
}
