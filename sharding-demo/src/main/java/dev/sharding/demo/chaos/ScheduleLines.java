package dev.sharding.demo.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as lines of JSON: the first says how large the run is, each other is a
 * fault.
 */
final class ScheduleLines {

	private static final ObjectMapper JSON = new ObjectMapper();

	private ScheduleLines() {
	}

	static List<String> of(Schedule schedule) {
		List<String> lines = new ArrayList<>();
		Extent extent = schedule.extent();
		lines.add(JSON.createObjectNode()
			.put("seed", schedule.seed())
			.put("minutes", extent.minutes())
			.put("shards", extent.shards())
			.put("objects", extent.objects())
			.put("rings", extent.rings())
			.put("windowMillis", extent.windowMillis())
			.put("slots", extent.slots())
			.toString());
		schedule.faults().forEach((fault) -> lines.add(of(fault).toString()));
		return lines;
	}

	static ObjectNode of(Planned fault) {
		ObjectNode line = JSON.createObjectNode().put("minute", fault.minute()).put("at", fault.at());
		Sight when = fault.when();
		if (when != null) {
			line.put("when", when.text()).put("by", fault.by());
		}
		return line.put("fault", fault.kind().text())
			.put("role", fault.role())
			.put("ring", fault.ring())
			.put("secret", fault.secret())
			.put("lasts", fault.lasts());
	}

	/**
	 * Reads a schedule.
	 * @throws IllegalArgumentException if it is none
	 */
	static Schedule parse(List<String> lines) {
		List<Planned> faults = new ArrayList<>();
		JsonNode head = null;
		for (String line : lines) {
			JsonNode json = json(line);
			if (head == null) {
				head = json;
			}
			else if (json != null) {
				faults.add(fault(json));
			}
		}
		if (head == null) {
			throw new IllegalArgumentException("The schedule is empty");
		}
		Extent extent = new Extent((int) number(head, "minutes"), (int) number(head, "shards"),
				(int) number(head, "objects"), (int) number(head, "rings"), number(head, "windowMillis"),
				head.path("slots").asBoolean());
		return new Schedule(extent, number(head, "seed"), faults);
	}

	private static @Nullable JsonNode json(String line) {
		try {
			return line.isBlank() ? null : JSON.readTree(line);
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("No line of a schedule: " + line, ex);
		}
	}

	private static Planned fault(JsonNode json) {
		long at = number(json, "at");
		Sight when = json.has("when") ? Sight.of(json.path("when").asText()) : null;
		return new Planned((int) number(json, "minute"), at, when, (when != null) ? number(json, "by") : at,
				Kind.of(json.path("fault").asText()), (int) number(json, "ring"), (int) number(json, "secret"),
				number(json, "lasts"));
	}

	private static long number(JsonNode json, String key) {
		JsonNode value = json.path(key);
		if (!value.canConvertToLong()) {
			throw new IllegalArgumentException("There is no '" + key + "' in " + json);
		}
		return value.asLong();
	}

}
