import Foundation
import GitHubServer
import Testing

/// What the commands print that change nothing, whole.
@Suite struct ReadingTests {
    static let outputs: [(arguments: String, output: String)] = [
        (
            "user octocat",
            """
            octocat
              Name          The Octocat
              Company       @github
              Location      San Francisco
              Bio           Eight arms, one tail.
              Repositories  35
              Followers     3938
              Joined        2011-01-25

            """
        ),
        (
            "repos octocat --limit 5",
            """
            NAME                  LANGUAGE  STARS  ISSUES  PUSHED      DESCRIPTION
            octocat/amber-anchor               16       0  2015-08-01  The amber anchor, in…
            octocat/amber-bridge  Go           24       0  2016-04-16  The amber bridge, in…
            octocat/amber-compa…  Swift        33       0  2016-12-31
            octocat/amber-drum    Ruby         43       0  2017-09-16  The amber drum, in c…
            octocat/amber-engine               54       0  2018-06-02  The amber engine, in…

            5 repositories

            """
        ),
        ("repos hubot", "No repositories.\n"),
        (
            "repo octocat/Hello-World",
            """
            octocat/Hello-World
              Description  My first repository on GitHub!
              Owner        octocat
              Visibility   public
              Language     Swift
              Stars        2980
              Open issues  44
              Pushed       2015-03-06

            """
        ),
        (
            "issues octocat/Hello-World --limit 6",
            """
             #  STATE  TITLE                   LABELS                   BY        UPDATED
            65  open   Retrying should be op…  bug                      monalisa  2011-08-10
            64  open   The cache takes forev…                           hubot     2011-08-07
            62  open   Café mode crashes       size: 100%?, duplicate   monalisa  2011-08-01
            61  open   The menu is too quiet   area/networking          hubot     2011-07-29
            59  open   The tail takes forever  question, 🚀 später, g…  monalisa  2011-07-23
            58  open   Windows has a typo      invalid, c++             hubot     2011-07-20

            6 issues

            """
        ),
        (
            "issues octocat/Hello-World --state closed --limit 1",
            """
             #  STATE   TITLE               LABELS                     BY       UPDATED
            63  closed  The log has a typo  c++, enhancement, wontfix  octocat  2011-08-05

            1 issue

            """
        ),
        (
            "labels octocat/Hello-World",
            """
            NAME              COLOR    DESCRIPTION
            bug               #d73a4a  Something isn't working
            documentation     #0075ca  Improvements or additions to documentation
            duplicate         #cfd3d7  This issue or pull request already exists
            enhancement       #a2eeef  New feature or request
            good first issue  #7057ff  Good for newcomers
            help wanted       #008672  Extra attention is needed
            invalid           #e4e669  This doesn't seem right
            question          #d876e3  Further information is requested
            wontfix           #ffffff  This will not be worked on
            area/networking   #1d76db  Sockets and all that
            size: 100%?       #fbca04
            c++               #0e8a16
            🚀 später         #5319e7  Not this year

            13 labels

            """
        ),
        (
            "milestones octocat/Hello-World --state all",
            """
            #  STATE   TITLE    OPEN  CLOSED  DUE         DESCRIPTION
            1  closed  v1.0        9       4  2012-02-20  The first one that greets
            2  open    v1.1        9       4  2026-02-16  Greets by name
            3  open    Someday     9       4

            3 milestones

            """
        ),
        (
            "issue show octocat/Hello-World 3",
            """
            octocat/Hello-World#3 The parser takes forever
              State     closed
              By        octocat
              Labels    enhancement, wontfix, bug
              Opened    2011-02-04
              Updated   2011-02-08
              Comments  3

              ### What happened
              The parser takes forever when I say "hello" 3 times.

              ```swift
              print("Hello, World" + String(repeating: "!", count: 3))
              ```

            monalisa, 2011-02-04

              👍

            octocat, 2011-02-04

              Fixed in `main`, please try.

            hubot, 2011-02-05

              It says "Hello" but
              not to whom.

            """
        ),
    ]

    @Test(arguments: outputs) func `Prints text`(_ arguments: String, _ output: String) async throws {
        try await onStage { stage in
            let run = try await stage.run(arguments.split(separator: " ").map(String.init))
            #expect(run.output == output)
            #expect(run.errors == "")
            #expect(run.status == 0)
        }
    }

    @Test func `Follows the pages of a list`() async throws {
        try await onStage { stage in
            let issues = try await stage.run("issues", "octocat/Hello-World", "--state", "all")
            #expect(issues.output.hasSuffix("\n65 issues\n"))
            let repositories = try await stage.run("repos", "octocat", "--json")
            #expect(try JSONDocument(repositories.output).elements.count == 35)
        }
    }

    @Test func `Asks for no more than the limit`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issues", "octocat/Hello-World", "--limit", "7", "--json")
            #expect(try JSONDocument(run.output).elements.count == 7)
            #expect(
                stage.server.requests.map(\.target) == [
                    "/repos/octocat/Hello-World", "/repos/octocat/Hello-World/issues?state=open&per_page=7",
                ])
        }
    }

    @Test func `Stays within 80 columns`() async throws {
        try await onStage { stage in
            for command in [["repos", "octocat"], ["issues", "octocat/Hello-World", "--state", "all"]] {
                let lines = try await stage.run(command).output.split(separator: "\n")
                // The one emoji of these lists takes two columns.
                #expect(lines.allSatisfy { $0.count + $0.count { $0 == "🚀" } <= 80 })
            }
        }
    }

    @Test func `Aligns what is wide`() async throws {
        try await onStage { stage in
            for title in ["日本語のタイトル、とても長いので切り詰められます。本当です", "👩‍👩‍👧 e\u{301} 🇩🇪"] {
                _ = try await stage.run(
                    "issue", "create", "octocat/Hello-World", "--title", title, "--label", "🚀 später")
            }
            let run = try await stage.run("issues", "octocat/Hello-World", "--limit", "3")
            #expect(
                run.output == """
                     #  STATE  TITLE                                 LABELS     BY        UPDATED
                    67  open   👩‍👩‍👧 é 🇩🇪                               🚀 später  octocat   2026-01-01
                    66  open   日本語のタイトル、とても長いので切…   🚀 später  octocat   2026-01-01
                    65  open   Retrying should be optional           bug        monalisa  2011-08-10

                    3 issues

                    """)
        }
    }

    @Test func `Keeps what it has seen`() async throws {
        try await onStage { stage in
            _ = try await stage.run("issues", "octocat/Hello-World")
            let text = try String(contentsOfFile: stage.path("github.sqlite"), encoding: .isoLatin1)
            #expect(text.hasPrefix("SQLite format 3"))
            let other = try await stage.run("user", "octocat", "--store", stage.path("other.sqlite"))
            #expect(other.status == 0)
            #expect(try String(contentsOfFile: stage.path("other.sqlite"), encoding: .isoLatin1).contains("octocat"))
        }
    }
}
