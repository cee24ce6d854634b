// The checksum controller on controller-runtime: for every Secret of a namespace a
// ConfigMap with the SHA-256 of each of its values, by ten workers. It is what
// ChecksumShard and the operator on java-operator-sdk do.
//
// With --ring it is a shard of that ring, as docs/protocol.md tells: see shard.go.
package main

import (
	"errors"
	"flag"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const workers = 10

func main() {
	namespace := flag.String("namespace", "default", "where the Secrets are")
	member := shard{}
	flag.StringVar(&member.ring, "ring", "", "the ControllerRing to be a shard of; none if empty")
	flag.StringVar(&member.name, "shard", "", "the name of the shard, which its Lease has too")
	flag.StringVar(&member.leaseNamespace, "lease-namespace", "", "where the Lease is")
	flag.DurationVar(&member.leaseDuration, "lease-duration", 15*time.Second, "how long the Lease lasts")
	stamp := flag.Bool("stamp", false, "whether ConfigMaps say which version of the Secret they are of, and whose")
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	if err := run(*namespace, member, *stamp); err != nil {
		klog.Error(err)
		os.Exit(1)
	}
}

func run(namespace string, member shard, stamp bool) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	options := ctrl.Options{
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics: server.Options{BindAddress: "0"},
	}
	if member.ring != "" {
		if member.name == "" || member.leaseNamespace == "" {
			return errors.New("--ring needs --shard and --lease-namespace")
		}
		if err := member.join(config, &options); err != nil {
			return err
		}
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	var reconciler reconcile.Reconciler = &checksums{client: manager.GetClient(), stamp: stamp, shard: member.name}
	if member.ring != "" {
		reconciler = &responsible{shard: member, client: manager.GetClient(), next: reconciler}
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&corev1.Secret{}).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(reconciler)
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
