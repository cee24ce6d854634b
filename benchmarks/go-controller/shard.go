package main

import (
	"context"
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	leaseRing   = "alpha.sharding.timebertt.dev/controllerring"
	shardPrefix = "shard.alpha.sharding.timebertt.dev/"
	drainPrefix = "drain.alpha.sharding.timebertt.dev/"
)

// shard is what a process is in a ring (protocol section 6).
type shard struct {
	ring           string
	name           string
	leaseNamespace string
	leaseDuration  time.Duration
}

// join makes a manager one of a shard: it runs its controllers while it holds the Lease
// that has the name of the shard (6.1), and caches what bears the label of the shard (6.2).
func (s *shard) join(config *rest.Config, options *ctrl.Options) error {
	leases, err := coordinationv1.NewForConfig(rest.AddUserAgent(rest.CopyConfig(config), "shard-lease"))
	if err != nil {
		return err
	}
	renewDeadline, retryPeriod := s.leaseDuration*2/3, s.leaseDuration*2/15
	options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = &s.leaseDuration, &renewDeadline, &retryPeriod
	options.LeaderElection = true
	options.LeaderElectionReleaseOnCancel = true
	// Creates the Lease with these labels, and keeps those that others have put there.
	options.LeaderElectionResourceLockInterface = &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: s.leaseNamespace, Name: s.name},
		Client:     leases,
		LockConfig: resourcelock.ResourceLockConfig{Identity: s.name},
		Labels:     map[string]string{leaseRing: s.ring},
	}
	own := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{shardPrefix + s.ring: s.name})}
	options.Cache.ByObject = map[client.Object]cache.ByObject{&corev1.Secret{}: own, &corev1.ConfigMap{}: own}
	return nil
}

// responsible decides what a request means for the shard (6.4). The queue lets one request
// of an object run at a time, so no reconcile of it is under way while it is given away.
type responsible struct {
	shard
	client client.Client
	next   reconcile.Reconciler
}

func (r *responsible) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	secret := &corev1.Secret{}
	if err := r.client.Get(ctx, request.NamespacedName, secret); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// A retry may come after the object has gone to another shard.
	if secret.Labels[shardPrefix+r.ring] != r.name {
		return ctrl.Result{}, nil
	}
	if _, drained := secret.Labels[drainPrefix+r.ring]; drained {
		return ctrl.Result{}, r.acknowledge(ctx, secret)
	}
	return r.next.Reconcile(ctx, request)
}

// acknowledge gives the object away by one patch, unless somebody has changed it since.
func (r *responsible) acknowledge(ctx context.Context, secret *corev1.Secret) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": secret.ResourceVersion,
		"labels":          map[string]any{shardPrefix + r.ring: nil, drainPrefix + r.ring: nil},
	}})
	if err != nil {
		return err
	}
	return r.client.Patch(ctx, secret, client.RawPatch(types.MergePatchType, patch))
}
