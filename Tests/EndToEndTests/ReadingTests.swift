import Foundation
import GitHubServer
import Testing

/// The whole output of the commands that only read.
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
              URL           https://github.com/octocat

            """
        ),
        (
            "repos octocat --limit 5",
            """
            NAME                  DESCRIPTION            INFO    PUSHED      LANGUAGE  STARS
            octocat/amber-anchor  The amber anchor, in…  public  2015-08-01               16
            octocat/amber-bridge  The amber bridge, in…  public  2016-04-16  Go           24
            octocat/amber-compa…                         public  2016-12-31  Swift        33
            octocat/amber-drum    The amber drum, in c…  public  2017-09-16  Ruby         43
            octocat/amber-engine  The amber engine, in…  public  2018-06-02               54

            5 repositories; --limit may show more

            """
        ),
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
              URL          https://github.com/octocat/Hello-World

            """
        ),
        (
            "issues octocat/Hello-World --limit 6",
            """
             #  STATE  TITLE                   LABELS                   UPDATED     BY
            65  open   Retrying should be op…  bug                      2011-08-10  monalisa
            64  open   The cache takes forev…                           2011-08-07  hubot
            62  open   Café mode crashes       size: 100%?, duplicate   2011-08-01  monalisa
            61  open   The menu is too quiet   area/networking          2011-07-29  hubot
            59  open   The tail takes forever  question, 🚀 später, g…  2011-07-23  monalisa
            58  open   Windows has a typo      invalid, c++             2011-07-20  hubot

            6 issues; --limit may show more

            """
        ),
        (
            "issues octocat/Hello-World --state closed --limit 1",
            """
             #  STATE   TITLE               LABELS                     UPDATED     BY
            63  closed  The log has a typo  c++, enhancement, wontfix  2011-08-05  octocat

            1 issue; --limit may show more

            """
        ),
        (
            "labels octocat/Hello-World",
            """
            NAME              DESCRIPTION                                 COLOR
            bug               Something isn't working                     #d73a4a
            documentation     Improvements or additions to documentation  #0075ca
            duplicate         This issue or pull request already exists   #cfd3d7
            enhancement       New feature or request                      #a2eeef
            good first issue  Good for newcomers                          #7057ff
            help wanted       Extra attention is needed                   #008672
            invalid           This doesn't seem right                     #e4e669
            question          Further information is requested            #d876e3
            wontfix           This will not be worked on                  #ffffff
            area/networking   Sockets and all that                        #1d76db
            size: 100%?                                                   #fbca04
            c++                                                           #0e8a16
            🚀 später         Not this year                               #5319e7

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
            "issue show octocat/Hello-World 3 --comments",
            """
            The parser takes forever octocat/Hello-World#3
              State     closed
              Author    octocat
              Labels    enhancement, wontfix, bug
              Comments  3
              Number    3
              Created   2011-02-04
              Updated   2011-02-08
              URL       https://github.com/octocat/Hello-World/issues/3

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

    @Test(arguments: outputs) func `Each reading command prints a table or text on a terminal`(
        _ arguments: String, _ output: String
    ) async throws {
        try await onStage { stage in
            let run = try await stage.runOnTerminal(arguments)
            #expect(run.output == output)
            #expect(run.errors == "")
            #expect(run.status == 0)
        }
    }

    @Test func `A list follows its pages`() async throws {
        try await onStage { stage in
            let issues = try await stage.runOnTerminal("issues octocat/Hello-World --state all --limit 100")
            #expect(issues.output.hasSuffix("\n65 issues\n"))
            let one = try await stage.runOnTerminal("repos monalisa")
            #expect(one.output.hasSuffix("\n1 repository\n"))
            let repositories = try await stage.run("repos", "octocat", "--limit", "100", "--json", "name")
            #expect(try JSONDocument(repositories.output).elements.count == 35)
        }
    }

    @Test func `Columns with wide characters are aligned`() async throws {
        try await onStage { stage in
            for title in ["日本語のタイトル、とても長いので切り詰められます。本当です", "👩‍👩‍👧 e\u{301} 🇩🇪"] {
                _ = try await stage.run(
                    "issue", "create", "octocat/Hello-World", "--title", title, "--label", "🚀 später")
            }
            let run = try await stage.runOnTerminal("issues octocat/Hello-World --limit 3")
            #expect(
                run.output == """
                     #  STATE  TITLE                                 LABELS     UPDATED     BY
                    67  open   👩‍👩‍👧 é 🇩🇪                               🚀 später  2026-01-01  octocat
                    66  open   日本語のタイトル、とても長いので切…   🚀 später  2026-01-01  octocat
                    65  open   Retrying should be optional           bug        2011-08-10  monalisa

                    3 issues; --limit may show more

                    """)
        }
    }

    @Test func `Fetched data is kept in the store`() async throws {
        try await onStage { stage in
            _ = try await stage.run("issues", "octocat/Hello-World")
            let text = try String(contentsOfFile: stage.path("github.sqlite"), encoding: .isoLatin1)
            #expect(text.hasPrefix("SQLite format 3"))
            let other = ["user", "octocat", "--store", stage.path("other.sqlite")]
            let run = try await stage.run(other)
            #expect(run.status == 0)
            await stage.server.stop()
            #expect(try await stage.run(other + ["--offline"]).output == run.output)
        }
    }
}
