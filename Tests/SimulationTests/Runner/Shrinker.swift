/// Removes steps from a program while it still fails (delta debugging; Zeller, Hildebrandt 2002).
enum Shrinker {
    static func shrink(_ program: [Step], while fails: ([Step]) -> Bool) -> [Step] {
        var program = program
        var size = program.count / 2
        while size > 0 {
            var start = 0
            var hasShrunk = false
            while start < program.count {
                let end = min(start + size, program.count)
                let candidate = Array(program[..<start] + program[end...])
                if fails(candidate) {
                    program = candidate
                    hasShrunk = true
                } else {
                    start = end
                }
            }
            if !hasShrunk || size > 1 { size = hasShrunk ? min(size, program.count / 2) : size / 2 }
        }
        return program
    }
}
