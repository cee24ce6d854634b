package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sharding.judge.Exposure;

/**
 * What came of a run.
 *
 * @param schedule what was to be played
 * @param played how often each kind of fault was
 * @param left how many faults found nobody to strike
 * @param exposure how much could have gone wrong
 * @param lived how many processes lived for long enough for their growth to be judged
 * @param reads how many consistent reads there have to be
 * @param violations what the judge found and what else was wrong
 */
record Outcome(Schedule schedule, Map<Kind, Integer> played, int left, Exposure exposure, int lived, int reads,
		List<Violation> violations) {

	/** From how many minutes on some process is to have lived for long enough. */
	private static final int LONG = 10;

	private static final int HAND_OVERS = 10;

	private static final int RELISTS = 2;

	Outcome {
		violations = List.copyOf(violations);
	}

	private int faults() {
		return this.played.values().stream().mapToInt(Integer::intValue).sum();
	}

	private int faults(Kind kind) {
		return this.played.getOrDefault(kind, 0);
	}

	/** What there was too little of for the run to prove anything. */
	List<String> tooLittle() {
		int minutes = this.schedule.extent().minutes();
		List<String> tooLittle = new ArrayList<>();
		atLeast("faults", faults(), this.left * 4, tooLittle);
		atLeast("handOvers", this.exposure.handOvers(), HAND_OVERS * minutes, tooLittle);
		atLeast("losses", this.exposure.losses(), (minutes + 1) / 2, tooLittle);
		atLeast("leaders", this.exposure.leaders(), (faults(Kind.KILL_LEADER) + faults(Kind.STOP_LEADER)) / 2,
				tooLittle);
		if (minutes >= LONG) {
			this.schedule.faults()
				.stream()
				.map(Planned::kind)
				.distinct()
				.forEach((kind) -> atLeast(kind.text(), faults(kind), 1, tooLittle));
		}
		atLeast("relists", this.exposure.relists(), RELISTS * minutes, tooLittle);
		atLeast("updates", this.exposure.updates(), this.schedule.extent().objects(), tooLittle);
		atLeast("reads", this.exposure.reads(), this.reads, tooLittle);
		atLeast("lived", this.lived, (minutes >= LONG) ? 1 : 0, tooLittle);
		return tooLittle;
	}

	private static void atLeast(String what, int is, int due, List<String> tooLittle) {
		if (is < due) {
			tooLittle.add(what + " " + is + " of " + due);
		}
	}

	/** Whether the run proved something, and nothing was wrong. */
	boolean passed() {
		return this.violations.isEmpty() && tooLittle().isEmpty();
	}

	/** What kinds of violations there were. */
	Set<String> kinds() {
		Set<String> kinds = new TreeSet<>();
		this.violations.forEach((violation) -> kinds.add(violation.kind()));
		return kinds;
	}

	/** The kinds of the violations that were first: several at one moment. */
	Set<String> firstKinds() {
		Set<String> first = new TreeSet<>();
		this.violations.stream().map(Violation::at).min(Comparator.naturalOrder()).ifPresent((at) -> {
			this.violations.stream()
				.filter((violation) -> violation.at().equals(at))
				.forEach((violation) -> first.add(violation.kind()));
		});
		return first;
	}

	/** The entries of the verdict, in order. */
	Map<String, String> entries() {
		Map<String, String> entries = new LinkedHashMap<>();
		verdict().properties().forEach((entry) -> entries.put(entry.getKey(), entry.getValue().asText()));
		entries.remove("kinds");
		entries.put("tooLittle", String.join(", ", tooLittle()));
		return entries;
	}

	/** The verdict, to which more may be added. */
	ObjectNode verdict() {
		Extent extent = this.schedule.extent();
		ObjectNode json = new ObjectMapper().createObjectNode()
			.put("seed", this.schedule.seed())
			.put("minutes", extent.minutes())
			.put("shards", extent.shards())
			.put("objects", extent.objects())
			.put("rings", extent.rings())
			.put("slots", extent.slots())
			.put("faults", faults())
			.put("leftOut", this.left)
			.put("handOvers", this.exposure.handOvers())
			.put("losses", this.exposure.losses())
			.put("leaders", this.exposure.leaders())
			.put("relists", this.exposure.relists())
			.put("updates", this.exposure.updates())
			.put("reads", this.exposure.reads())
			.put("lived", this.lived)
			.put("violations", this.violations.size());
		Map<String, Integer> kinds = new TreeMap<>();
		this.violations.forEach((violation) -> kinds.merge(violation.kind(), 1, Integer::sum));
		ObjectNode byKind = json.putObject("kinds");
		kinds.forEach(byKind::put);
		json.put("inconclusive", !tooLittle().isEmpty());
		ArrayNode reasons = json.putArray("tooLittle");
		tooLittle().forEach(reasons::add);
		return json;
	}

}
