package dev.sharding.demo.chaos;

import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.xml.parsers.DocumentBuilderFactory;

import dev.sharding.judge.Course;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;

class PageTests {

	private static final Instant START = Instant.parse("2026-11-24T12:00:00Z");

	@Test
	void drawsOwnersProcessesFaultsAndViolations() throws Exception {
		String page = Page.of(story(List.of(new Story.Trouble(START.plusSeconds(30), "doubleReconciled: a <b>"))));
		Document svg = svg(page);
		// Two shards and what nobody has.
		assertThat(titles(svg, "polygon")).containsExactly("a-1", "a-2", "no available owner");
		assertThat(titles(svg, "rect")).containsExactly("a-1, 60.0 s", "kill-shard owner of secret-3, 5.0 s");
		assertThat(titles(svg, "line")).contains("doubleReconciled: a <b>", "1001 ms", "1059 ms")
			.doesNotContain("1002 ms");
		assertThat(page).contains("lag of changes in ring-a, p99 of each second (1059 ms)");
		assertThat(page).contains("<dd class=\"bad\">1</dd>", "Violations: 1");
	}

	@Test
	void needsNothingButItself() {
		assertThat(Page.of(story(List.of()))).doesNotContain("http:", "https:", "<script", "@import", "url(")
			.contains("<dd class=\"good\">0</dd>", "./chaos --replay x");
	}

	private static Story story(List<Story.Trouble> troubles) {
		List<Course.Point> points = new ArrayList<>();
		for (int second = 0; second < 60; second++) {
			points.add(new Course.Point(START.plusSeconds(second), Map.of("a-1", 10 + second % 7, "a-2", 20),
					(second % 10 == 0) ? 5 : 0, (second % 2 == 0) ? null : Duration.ofMillis(1000 + second)));
		}
		Map<String, String> verdict = new LinkedHashMap<>();
		verdict.put("seed", "7");
		verdict.put("violations", String.valueOf(troubles.size()));
		verdict.put("inconclusive", "false");
		return new Story("Chaos, seed 7", verdict, START, START.plusSeconds(60),
				List.of(new Story.Bar("a-1", "run", START, START.plusSeconds(60), "a-1"),
						new Story.Bar("a-1", "kill-shard", START.plusSeconds(20), START.plusSeconds(25),
								"kill-shard owner of secret-3")),
				List.of(new Course("ring-a", points)), troubles, "./chaos --replay x");
	}

	private static Document svg(String page) throws Exception {
		String svg = page.substring(page.indexOf("<svg"), page.indexOf("</svg>") + "</svg>".length());
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
	}

	private static List<String> titles(Document svg, String shape) {
		List<String> titles = new ArrayList<>();
		NodeList found = svg.getElementsByTagName(shape);
		for (int i = 0; i < found.getLength(); i++) {
			NodeList title = ((Element) found.item(i)).getElementsByTagName("title");
			if (title.getLength() > 0) {
				titles.add(title.item(0).getTextContent());
			}
		}
		return titles;
	}

}
