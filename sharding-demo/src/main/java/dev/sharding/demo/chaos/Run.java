package dev.sharding.demo.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

import dev.sharding.demo.Fault;
import dev.sharding.demo.Permissions;
import dev.sharding.demo.Probe;
import dev.sharding.demo.Programs;
import dev.sharding.demo.RingSite;
import dev.sharding.demo.ShardProgram;
import dev.sharding.demo.Stage;
import dev.sharding.demo.Waiting;
import dev.sharding.demo.Writer;
import dev.sharding.judge.Finding;
import dev.sharding.judge.Judge;
import dev.sharding.judge.Judged;

/**
 * One run: the schedule first, then the play, then the judge; all of it kept in a folder.
 */
final class Run {

	/** Names of files in the folder. */
	static final String SCHEDULE = "schedule.jsonl";

	/* What a former owner still sends after all is in its place belongs in the log. */
	private static final Duration LATE = Duration.ofSeconds(3);

	private static final Duration STEP = Duration.ofSeconds(1);

	private final Programs programs;

	private final ShardProgram shard;

	private final Fault fault;

	private final Path folder;

	private final PrintStream out;

	private int sharders = 2;

	private Duration quietWithin = Duration.ofSeconds(60);

	/**
	 * @param shard what the shards are
	 * @param fault what is wrong with the programs
	 * @param folder an empty folder for all that is kept
	 * @param out where it tells how it goes
	 */
	Run(Programs programs, ShardProgram shard, Fault fault, Path folder, PrintStream out) {
		this.programs = programs;
		this.shard = shard;
		this.fault = fault;
		this.folder = folder;
		this.out = out;
	}

	/**
	 * Plays in a smaller way than usual.
	 * @param number how many sharders there are
	 * @param time how long it may take until all is in its place when nothing is wrong
	 * any more
	 */
	Run with(int number, Duration time) {
		this.sharders = number;
		this.quietWithin = time;
		return this;
	}

	Outcome play(Schedule schedule) throws Exception {
		Files.write(this.folder.resolve(SCHEDULE), ScheduleLines.of(schedule));
		Scribe scribe = new Scribe(this.out, this.folder.resolve("resolution.jsonl"));
		scribe.say("seed " + schedule.seed() + ", " + schedule.faults().size() + " faults: "
				+ this.folder.resolve(SCHEDULE));
		try (Stage stage = Stage.open(this.programs, this.folder)) {
			try {
				return play(schedule, stage, scribe);
			}
			finally {
				compress(stage.auditLog(), this.folder.resolve("audit.jsonl.gz"));
				Files.copy(stage.serverLog(), this.folder.resolve("kube-apiserver.log"));
			}
		}
	}

	private Outcome play(Schedule schedule, Stage stage, Scribe scribe) throws Exception {
		Extent extent = schedule.extent();
		List<RingSite> rings = extent.sites();
		Widgets.install(stage.admin());
		stage.furnish(rings, this.shard);
		stage.admitWebhook();
		Path holds = Files.createDirectories(this.folder.resolve("holds"));
		Instant since;
		try (Probe probe = new Probe(stage.user("probe", Permissions.probe()).client());
				AuditTail tail = new AuditTail(stage.auditLog(), rings);
				Troupe troupe = new Troupe(stage, rings, tail, scribe, holds, extent.slots() ? extent.slotsOfRing() : 0,
						this.shard, this.fault);
				Writer writer = new Writer(stage.user("writer", Permissions.writer()).client(), extent.objects(),
						extent::namespaceOf, !this.shard.hasMore());
				Pages pages = new Pages(stage.user("pages", Permissions.pages()).client(),
						this.shard.hasMore() ? Math.max(1, extent.objects() / 6) : 0, extent::namespaceOf)) {
			Scene scene = new Scene(stage, rings, extent, troupe, tail, scribe, probe,
					new Places(stage.admin(), rings, troupe, pages, !this.shard.hasMore()), this.folder);
			Conductor conductor = new Conductor(scene, writer, pages, this.sharders, this.quietWithin);
			conductor.open();
			since = Instant.now();
			// From now on what is wrong with the programs is to be seen.
			Files.writeString(holds.resolve("hold.fault.any"), "");
			conductor.play(schedule);
			Growth.of(conductor.vitals().samples()).forEach((what) -> scribe.trouble(Violation.GROWTH, what));
			Waiting.pause(LATE);
			// Says who has ended since the last quiet point.
			troupe.deserters();
			scribe.say("the judge reads the audit log");
			return judge(schedule, stage, scribe, since, Growth.judged(conductor.vitals().samples()));
		}
	}

	private Outcome judge(Schedule schedule, Stage stage, Scribe scribe, Instant since, int lived) throws IOException {
		List<String> names = schedule.extent().sites().stream().map(RingSite::name).toList();
		Instant end = Instant.now();
		Judge judge = new Judge(stage.admin(), names, stage.auditLog(), stage.serverLog());
		if (!this.shard.hasMore()) {
			judge.inFull(this.folder.resolve("holds"));
		}
		Judged judged = judge.judged(since, STEP);
		List<Violation> violations = new ArrayList<>(scribe.troubles());
		judged.findings().forEach((finding) -> violations.add(violation(finding, end)));
		violations.sort(Comparator.comparing(Violation::at));
		Outcome outcome = new Outcome(schedule, scribe.played(), scribe.left(), judged.exposure(), lived,
				this.shard.hasMore() ? 0 : schedule.extent().reads(), violations);
		Files.write(this.folder.resolve("violations.txt"), violations.stream().map(Violation::toString).toList());
		Files.writeString(this.folder.resolve("verdict.json"), outcome.verdict() + "\n");
		Story story = new Story(title(schedule), outcome.entries(), since, end, scribe.bars(), judged.courses(),
				violations.stream()
					.map((violation) -> new Story.Trouble(violation.at(), violation.toString()))
					.toList(),
				repeat());
		Files.writeString(this.folder.resolve("run.html"), Page.of(story));
		return outcome;
	}

	private static String title(Schedule schedule) {
		return "Chaos, seed " + schedule.seed();
	}

	/** The command that plays it again. */
	String repeat() {
		return repeat(SCHEDULE);
	}

	/** The command that plays another schedule of the folder in the same way. */
	String repeat(String schedule) {
		String control = (this.fault == Fault.NONE) ? "" : " --break " + this.fault.name().toLowerCase(Locale.ROOT);
		return "./chaos --replay " + this.folder.resolve(schedule) + this.shard.option() + control;
	}

	private static Violation violation(Finding finding, Instant end) {
		return new Violation(finding.at().isAfter(end) ? end : finding.at(), finding.counter().key(),
				finding.sentence());
	}

	private static void compress(Path from, Path to) throws IOException {
		try (InputStream in = Files.newInputStream(from);
				OutputStream out = new GZIPOutputStream(Files.newOutputStream(to))) {
			in.transferTo(out);
		}
	}

}
