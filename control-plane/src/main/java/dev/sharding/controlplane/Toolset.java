package dev.sharding.controlplane;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Programs that are pinned, built and cached together.
 */
enum Toolset {

	CONTROL_PLANE("the control plane", "kubernetes-" + Pins.KUBERNETES + "-etcd-" + Pins.ETCD, "", "about five minutes",
			List.of(Program.KUBE_APISERVER, Program.ETCD, Program.KUBECTL)),

	HELM("helm", "helm-" + Pins.HELM, "helm/", "two or three minutes", List.of(Program.HELM));

	private final String title;

	private final String versions;

	private final String module;

	private final String buildTime;

	private final List<Program> programs;

	Toolset(String title, String versions, String module, String buildTime, List<Program> programs) {
		this.title = title;
		this.versions = versions;
		this.module = module;
		this.buildTime = buildTime;
		this.programs = programs;
	}

	/** What messages call it. */
	String title() {
		return this.title;
	}

	/** The versions, as part of the name of a folder. */
	String versions() {
		return this.versions;
	}

	/** Where the Go module files are, seen from this class. */
	String module() {
		return this.module;
	}

	/** How long a build takes with empty Go caches on two cores. */
	String buildTime() {
		return this.buildTime;
	}

	List<Program> programs() {
		return this.programs;
	}

	/** Names and versions of the programs, for messages. */
	String describe() {
		return this.programs.stream()
			.map((program) -> program.fileName() + " " + program.version())
			.collect(Collectors.joining(", "));
	}

}
